#!/bin/bash
# A storm of nested signals.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

compare "$programs/signals" "$models/mlp.onnx" 20011
[ "$rc" -eq 0 ] || fail "the storm ended with $rc"
counted 20011
