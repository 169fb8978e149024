#!/bin/bash
# Children are followed: started, forked with the parent's session, forked
# before there was one, and node's.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

compare "$programs/children" exec "$programs/linked" "$models/mlp.onnx" 211
[ "$rc" -eq 0 ] || fail "a child failed"
counted 422
is '.sessions | length' 2

# Whichever of the processes the meter hears last.
for _ in {1..7}; do
    compare "$programs/children" before "$models/mlp.onnx" 211
    [ "$rc" -eq 0 ] || fail "a child could not run its parent's session"
    counted 633
    is '[.sessions[] | select(.model == "mlp") | .latency.count] | add' 633
done

compare "$programs/children" after "$models/mlp.onnx" 211
counted 633
is '.sessions | length' 3

compare node "$here/family.cjs" "$here/infer.cjs" "$npm/onnxruntime-node" \
    "$silero" 211 "${silero_inputs[@]}"
[ "$rc" -eq 0 ] || fail "a child of node failed"
counted 422
is '.sessions | length' 2

# A program that leaves another behind: the run ends with the first, and says
# that the other goes on.
# shellcheck disable=SC2016 # the inner shell's
meter sh -c '"$@" >late 2>&1 & until [ -s log ]; do :; done' - \
    "$programs/ticker" "$models/mlp.onnx" log stop
[ "$rc" -eq 0 ] || fail "the program failed"
holds '.latency.count > 0'
holds '.run.note | contains("still run")'
touch stop
await grep -q "^ticker" late
[ "$(cut -d " " -f 2 late)" -eq "$(wc -l <log)" ] ||
    fail "it printed: $(cat late)"
