#!/bin/bash
# Programs that leave in a hurry, and what they did until then.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

compare "$programs/exiting" exit "$models/mlp.onnx" 1009
[ "$rc" -eq 7 ] || fail "exit() ends with $rc"
counted 1009

compare "$programs/exiting" _exit "$models/mlp.onnx" 1009
[ "$rc" -eq 7 ] || fail "_exit() ends with $rc"
holds '.latency.count >= 1009'

# process.exit() with eight inferences under way, in this thread and others.
compare node "$here/exit.cjs" "$npm/onnxruntime-node" "$silero"
[ "$rc" -eq 7 ] || fail "process.exit() ends with $rc"
compare node "$here/workers.cjs" "$npm/onnxruntime-node" "$silero" 101
[ "$rc" -eq 0 ] || fail "workers end with $rc"
counted 202
