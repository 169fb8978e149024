#!/bin/bash
# An unmodified node program with the silero voice model: every inference is
# counted, and the program notices nothing.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

compare node "$here/infer.cjs" "$npm/onnxruntime-node" "$silero" 1009 \
    "${silero_inputs[@]}"
[ "$rc" -eq 0 ] || fail "the program failed"
cmp plain.err err || fail "something else on stderr under the meter"
counted 1009
is '.sessions | length' 1
is '.sessions[0].model' silero_vad_v5
is '.sessions[0].model_path' "$silero"
is '.sessions[0].latency.count' 1009
is .run.ort.version 1.30.0
is .run.ort.path "$ort"
holds '.latency | .min_us > 0 and .min_us <= .p50_us and .p50_us <= .p99_us
    and .p99_us <= .max_us and .min_us <= .mean_us and .mean_us <= .max_us'
holds '.sessions[0].load_ms > 0'

# The same model from memory has a size and no name.
compare node "$here/infer.cjs" "$npm/onnxruntime-node" "memory:$silero" 503 \
    "${silero_inputs[@]}"
counted 503
is '.sessions[0] | has("model")' false
is '.sessions[0].model_bytes' "$(stat -c %s "$silero")"
