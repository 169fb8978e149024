#!/bin/bash
# A program under valgrind under the meter.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
need_tool valgrind

# ONNX Runtime has findings of its own; the hook has none.
meter valgrind -q "$programs/linked" "$models/mlp.onnx" 11
[ "$rc" -eq 0 ] || fail "valgrind ends with $rc"
grep -q '^linked 11 ' out || fail "the program printed: $(cat out)"
! grep libortmeter err || fail "valgrind found something in the hook"
counted 11
