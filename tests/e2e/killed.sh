#!/bin/bash
# kill -9 of the program: every inference that ended 100 ms before is kept.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

"$ortmeter" run -o run.json --db t.db -- \
    sh -c 'echo $$ >pid; exec "$@"' - "$programs/ticker" "$models/mlp.onnx" \
    log stop >out 2>err &

ran_half_a_second() {
    [ -s log ] && awk 'NR == 1 { first = $1 } END { exit $1 - first < 5e8 }' log
}
await ran_half_a_second
kill -KILL "$(cat pid)"
rc=0
wait $! || rc=$?
[ "$rc" -eq 137 ] || fail "exit code $rc, not 128 + 9"

lines=$(wc -l <log)
older=$(awk -v last="$(tail -n 1 log)" '$1 < last - 1e8' log | wc -l)
count=$(field .latency.count)
[ "$count" -ge "$older" ] || fail "$count kept of $older older than 100 ms"
[ "$count" -le $((lines + 1)) ] || fail "$count kept, but only $lines ran"
holds '.lost_events == 0'
