#!/bin/bash
# Meters at once on one database; a meter under a meter.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

one() { # name, count
    "$ortmeter" run -o "$1.json" --db t.db -- "$programs/linked" \
        "$models/mlp.onnx" "$2" >"$1.out" 2>"$1.err"
}
one first 20011 &
first=$!
one second 20021 &
wait "$first" || fail "the first failed: $(cat first.err)"
wait $! || fail "the second failed: $(cat second.err)"
for pair in first:20011 second:20021; do
    mv "${pair%:*}.json" run.json
    counted "${pair#*:}"
done
runs=$(sqlite3 t.db 'SELECT count(*) FROM profiling_runs')
[ "$runs" -eq 2 ] || fail "$runs runs, not 2"
[ "$(sqlite3 t.db 'PRAGMA integrity_check')" = ok ] || fail "t.db is damaged"

# Many that meet in making one database.
for round in {1..20}; do
    for i in {1..8}; do
        "$ortmeter" run --quiet --db "new$round.db" -- true 2>>err &
    done
    wait
    runs=$(sqlite3 "new$round.db" 'SELECT count(*) FROM profiling_runs')
    [ "$runs" -eq 8 ] || fail "$runs of 8 runs are in the new database"
done

# The inner meter sees the program; the outer's program is the inner meter.
"$ortmeter" run -o outer.json --db t.db -- \
    "$ortmeter" run -o run.json --db inner.db -- \
    "$programs/linked" "$models/mlp.onnx" 211 >out 2>err ||
    fail "a meter under a meter failed"
"$programs/linked" "$models/mlp.onnx" 211 >plain.out
cmp plain.out out || fail "the program was disturbed"
counted 211
jq -e '(.latency.count // 0) | . == 0 or . == 211' outer.json >verdict ||
    fail "the outer meter counted something else"
