#!/bin/bash
# kill -9 of the meter: the program goes on to its end, and what was stored a
# second before is there and whole.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

"$ortmeter" run --db t.db -- sh -c 'echo $$ >pid; exec "$@"' - \
    "$programs/ticker" "$models/mlp.onnx" log stop >out 2>err &
meter=$!

log_ns() { # since the first line
    awk 'NR == 1 { first = $1 } END { printf "%d", $1 - first }' log
}
ran_two_seconds() { [ -s log ] && [ "$(log_ns)" -gt 2000000000 ]; }
goes_on() { [ "$(wc -l <log)" -gt $((at_kill + 1000)) ]; }
ended() { ! [ -e "/proc/$(cat pid)" ]; }

await ran_two_seconds
at_kill=$(wc -l <log)
older=$(awk -v last="$(tail -n 1 log)" '$1 < last - 1e9' log | wc -l)
kill -KILL "$meter"
wait "$meter" || true

await goes_on
touch stop
await ended
grep -q "^ticker $(wc -l <log) " out || fail "the program printed: $(cat out)"
[ ! -s err ] || fail "something on stderr: $(cat err)"

[ "$(sqlite3 t.db 'PRAGMA integrity_check')" = ok ] || fail "t.db is damaged"
"$ortmeter" list --db t.db >list.out 2>err || fail "list failed"
grep -q ticker list.out || fail "the run is not in the list: $(cat list.out)"
"$ortmeter" report last --json --db t.db >run.json 2>err ||
    fail "report failed"
holds ".latency.count >= $older"
"$ortmeter" report last --db t.db >report.out 2>err || fail "report failed"

# The next run goes into the same database.
compare "$programs/linked" "$models/mlp.onnx" 101
counted 101
