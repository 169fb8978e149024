#!/bin/bash
# Four threads, 503 inferences each, over three sessions of three models: each
# session's count is exact.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# The chain's operators have room, however busy the machine is.
meter_options=(--buffer 4194304)
compare "$programs/threads" 503 "$models/mlp.onnx" "$models/convnet.onnx" \
    "$models/chain.onnx"
[ "$rc" -eq 0 ] || fail "the program failed"
counted $((4 * 503 + 3))
is '.sessions | length' 3
while read -r model count _; do
    is ".sessions[] | select(.model_path == \"$model\") | .latency.count" \
        "$count"
done <out

# A hundred sessions of one model are a hundred.
mapfile -t many < <(yes "$models/mlp.onnx" | head -n 100)
compare "$programs/threads" 500 "${many[@]}"
counted $((4 * 500 + 100))
is '[.sessions[].latency.count] | length, unique[]' $'100\n21'
