#!/bin/bash
# The other ways to run a session: RunAsync and RunWithBinding.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

compare "$programs/async" "$models/mlp.onnx" 1009
[ "$rc" -eq 0 ] || fail "async failed"
counted 1009

compare "$programs/binding" "$models/mlp.onnx" 503
[ "$rc" -eq 0 ] || fail "binding failed"
counted 1007 # twice 503, and the plain one that makes the output
