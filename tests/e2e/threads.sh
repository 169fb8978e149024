#!/bin/bash
# Four threads, 503 inferences each, over three sessions of three models: each
# session's count is exact.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

compare "$programs/threads" 503 "$models/mlp.onnx" "$models/convnet.onnx" \
    "$models/chain.onnx"
[ "$rc" -eq 0 ] || fail "the program failed"
counted $((4 * 503 + 3))
is '.sessions | length' 3
while read -r model count _; do
    is ".sessions[] | select(.model == \"${model##*/}\") | .latency.count" \
        "$count"
done <out

# Two sessions of one model are two.
compare "$programs/threads" 101 "$models/mlp.onnx" "$models/mlp.onnx"
counted $((4 * 101 + 2))
is '[.sessions[].latency.count] | tostring' '[203,203]'
