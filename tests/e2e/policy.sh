#!/bin/bash
# A program that chooses its providers by a delegate is asked as often, and
# offered the same, as without the meter.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

compare "$programs/policy" "$models/mlp.onnx" 101
[ "$rc" -eq 0 ] || fail "the program failed"
counted 101
