#!/bin/bash
# Forks while threads are inside ONNX Runtime and the hook: no child hangs.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

compare "$programs/fork_storm" "$models/mlp.onnx" 150
[ "$rc" -eq 0 ] || fail "a child hung or died"

# Threads that do nothing else may be faster than a meter; what it loses, it
# counts.
runs=$(sed -n 's/^runs //p' err)
holds ".latency.count <= $runs"
holds ".latency.count + .lost_events >= $runs"
