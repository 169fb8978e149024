#!/bin/bash
# serve_killed.sh -- kill -9 of run --serve while clients listen: the program goes
# on and ends as if nothing had been, all that is older than a second is kept,
# and a client goes on at another server where it was.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
need_tool curl
need_tool node
need_tool jq
node --experimental-websocket -e 'new WebSocket("ws://127.0.0.1:1")' \
    >/dev/null 2>&1 || skip "this node has no WebSocket"

export ORTMETER_DB=$TMPDIR/t.db XDG_STATE_HOME=$TMPDIR/state
export XDG_RUNTIME_DIR=$TMPDIR/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"

ended() { ! [ -e "/proc/$1" ]; }

older_than_a_second() {
    awk -v last="$(tail -n 1 log)" '$1 < last - 1e9' log
}

ran_two_seconds() {
    [ -s log ] && awk 'NR == 1 { first = $1 } END { exit $1 - first < 2e9 }' log
}

goes_on() { # lines before
    [ "$(wc -l <log)" -gt $(($1 + 100)) ]
}

port=$(free_port)
"$ortmeter" run --serve --port "$port" -q -- sh -c 'echo $$ >pid; exec "$@" >program.txt' - \
    "$programs/ticker" "$models/mlp.onnx" log stop 2>run.err &
meter=$!
await is_serving run.err
node --experimental-websocket "$SRC/samples/live.mjs" "$base" >told.txt \
    2>client.err &
listener=$!
await test -s told.txt
await ran_two_seconds
kill -KILL "$meter"
older_than_a_second >older
before=$(wc -l <log)
wait "$meter" 2>/dev/null || true
await goes_on "$before"
: >stop
await ended "$(cat pid)"
read -r name ran _ <program.txt || fail "the program said nothing"
[ "$name $ran" = "ticker $(wc -l <log)" ] || fail "$(cat program.txt)"

"$ortmeter" vacuum --check >check.out 2>err ||
    fail "the database is damaged: $(cat check.out err)"
"$ortmeter" list -n 1 --json >run.json 2>err || fail "no list: $(cat err)"
is '.runs[0].run.status' interrupted
kept=$(jq '.runs[0].inferences' run.json)
[ "$kept" -ge "$(wc -l <older)" ] ||
    fail "$kept kept of $(wc -l <older) older than a second"
echo "$kept kept of $before"

# The client tries again and again; the run is stored now, and has an end.
"$ortmeter" serve --port "$port" 2>serve.err &
server=$!
await is_serving serve.err
await ended "$listener"
wait "$listener" || fail "the client: $(cat client.err)"
awk 'NR > 1 && $1 != last + 1 { exit 1 } { last = $1 }
    END { exit last != '"$kept"' }' told.txt ||
    fail "told to $(tail -n 1 told.txt), kept $kept"
kill "$server"
wait "$server" || fail "the server did not end well"
