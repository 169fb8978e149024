#!/bin/bash
# A C program that is linked to ONNX Runtime.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

compare "$programs/linked" "$models/mlp.onnx" 1009
[ "$rc" -eq 0 ] || fail "the program failed"
counted 1009
is '.sessions | length' 1
is '.sessions[0].model' mlp
is '.sessions[0].model_path' "$models/mlp.onnx"
is .run.ort.path "$ort"
