#!/bin/bash
# Twenty sessions of one model are one table of operators, though ONNX Runtime
# numbers names anew in each; and a meter that is killed has written sums.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Of the last run: a column of all rows of a table.
column() { # table, number of the column
    rm -rf tables
    "$ortmeter" export -f csv -o tables/ --db t.db last
    tail -n +2 "tables/$1.csv" | cut -d , -f "$2"
}

meter_options=(--ops all)
meter node "$here/sessions.cjs" "$npm/onnxruntime-node" "$models/convnet.onnx" \
    20 3 input=float32:1x3x64x64
[ "$rc" -eq 0 ] || fail "the program failed"
counted 60
[ "$(column operators 1 | wc -l)" -gt 5 ] || fail "too few operators"
[ "$(column traced_sums 1)" = 1 ] || fail "not one table"
[ "$(column traced_sums 3)" = 60 ] || fail "not all are traced"
[ "$(column operator_sums 3 | sort -u)" = 60 ] ||
    fail "an operator did not run in each inference"
[ "$(column sessions 1 | wc -l)" -eq 20 ] || fail "not twenty sessions"

# --- the meter is killed --------------------------------------------------------

sums_are_there() {
    [ -e t.db ] && [ "$("$ortmeter" list --db t.db | wc -l)" -gt 0 ] &&
        [ "$(column traced_sums 3 2>/dev/null || true)" != 60 ] &&
        [ -n "$(column traced_sums 3 2>/dev/null || true)" ]
}
"$ortmeter" run --ops all --quiet --db t.db -- \
    "$programs/ticker" "$models/mlp.onnx" log stop >out 2>err &
await sums_are_there
kill -KILL $!
wait $! 2>/dev/null || true
: >stop
[ "$(column traced_sums 3)" -gt 0 ] || fail "no sums are kept"
[ "$(column traced_sums 3)" -le "$(column inferences 1 | wc -l)" ] ||
    fail "more is summed up than was recorded"
