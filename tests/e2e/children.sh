#!/bin/bash
# Children are followed: started, forked with the parent's session, forked
# before there was one, and node's.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

compare "$programs/children" exec "$programs/linked" "$models/mlp.onnx" 211
[ "$rc" -eq 0 ] || fail "a child failed"
counted 422
is '.sessions | length' 2

compare "$programs/children" before "$models/mlp.onnx" 211
[ "$rc" -eq 0 ] || fail "a child could not run its parent's session"
counted 633
is '[.sessions[] | select(.model == "mlp.onnx") | .latency.count] | add' 633

compare "$programs/children" after "$models/mlp.onnx" 211
counted 633
is '.sessions | length' 3

compare node "$here/family.cjs" "$here/infer.cjs" "$npm/onnxruntime-node" \
    "$silero" 211 "${silero_inputs[@]}"
[ "$rc" -eq 0 ] || fail "a child of node failed"
counted 422
is '.sessions | length' 2
