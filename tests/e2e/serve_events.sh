#!/bin/bash
# serve_events.sh -- operators and events of a run over /ws/metrics, of run --serve,
# through a collector's socket, and of a run that is stored: what the database
# has, each once, in order.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
need_tool curl
need_tool node
need_tool jq
need_tool sqlite3
[ -e "$silero" ] || skip "no silero here: tools/deps.sh test"
node --experimental-websocket -e 'new WebSocket("ws://127.0.0.1:1")' \
    >/dev/null 2>&1 || skip "this node has no WebSocket"

export ORTMETER_DB=$TMPDIR/t.db XDG_STATE_HOME=$TMPDIR/state
export XDG_RUNTIME_DIR=$TMPDIR/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"
program=(node "$here/until.cjs" "$npm/onnxruntime-node" "$silero" end count
    "${silero_inputs[@]}")

find_run() {
    id=$(curl -s "$base/api/profiling/runs?status=running" |
        jq -er '.runs[0].run_id')
}

listen() { # file, events, after
    : >"$1"
    node --experimental-websocket "$here/serve_events.mjs" "$base" \
        "${@:2}" >"$1" 2>client.err &
    listener=$!
    await grep -q '"snapshot"' "$1"
}

# A collector that is slow to answer is asked again.
is_steered() { # true|false
    curl -s -o answer.json -X POST -H "Authorization: Bearer $owner" \
        -H 'Content-Type: application/json' -d "{\"paused\":$1}" \
        "$base/api/profiling/run/$id/control"
    jq -e ".paused == $1" answer.json >/dev/null
}

# A pause and its end are two marks.
mark() {
    await is_steered true
    await is_steered false
}

list() { # file, list, jq's filter
    jq -r "select(.list == \"$2\") | $3" "$1"
}

# All from the first on, as it is stored.
check() { # file
    local row
    row=$(sqlite3 t.db "SELECT id FROM profiling_runs WHERE run_id = '$id'")
    [ "$(list "$1" ended .run)" = "$id" ] || fail "$1: no end"
    sqlite3 t.db "SELECT number || ' ' || inference || ' ' || operator ||
        ' ' || thread FROM operator_runs WHERE run = $row ORDER BY number" \
        >stored.txt
    list "$1" operations '"\(.number) \(.inference) \(.operator) \(.thread)"' \
        >told.txt
    [ -s stored.txt ] || fail "nothing was traced"
    cmp stored.txt told.txt || fail "$1: operations"
    # Events by their ids, as the other route has them.
    curl -s "$base/api/events?run=$id" | jq -c '.events[]' | sort >stored.txt
    list "$1" events 'del(.list)' | jq -c . | sort -u >told.txt
    grep -q '"kind":"load"' stored.txt || fail "no load: $(cat stored.txt)"
    [ "$(grep -c '"kind":"mark"' stored.txt)" -ge 2 ] || fail "no marks"
    cmp stored.txt told.txt || fail "$1: events: $(diff stored.txt told.txt)"
}

# --- run --serve: a client that came late names the beginning --------------------

: >run.err
"$ortmeter" run -q --serve --ops all -- "${program[@]}" 2>run.err &
runner=$!
await is_serving run.err
await find_run
listen late.txt inference,operation,event "{\"$id\":0}"
listen_late=$listener
listen now.txt operation,event
mark
await grep -q 'goes on after a pause' late.txt
await grep -q 'goes on after a pause' now.txt
: >end
wait "$runner" || fail "run --serve: $(cat run.err)"
wait "$listen_late" "$listener" || fail "a client: $(cat client.err)"
# The server went with the run; another one tells what is stored.
"$ortmeter" serve 2>serve.err &
server=$!
await is_serving serve.err
check late.txt
# Who came without a place got the newest only, without a hole.
list now.txt operations .number | awk 'NR > 1 && $1 != last + 1 { exit 1 }
    { last = $1 }' || fail "a hole in now.txt"

# --- a stored run ----------------------------------------------------------------

listen stored_run.txt inference,operation,event "{\"$id\":0}"
wait "$listener" || fail "a client: $(cat client.err)"
check stored_run.txt
[ "$(list stored_run.txt inferences .number | tail -n 1)" = \
    "$(list late.txt inferences .number | tail -n 1)" ] || fail "other inferences"
# From the middle of an inference on.
half=$(($(list late.txt operations .number | wc -l) / 2))
listen half.txt operation "{\"$id\":{\"operation\":$half}}"
wait "$listener" || fail "a client: $(cat client.err)"
[ "$(list half.txt operations .number | head -n 1)" = $((half + 1)) ] ||
    fail "half: $(head -n 2 half.txt)"

# --- through the collector's socket ------------------------------------------------

listen socket.txt inference,operation,event
rm -f end count
"$ortmeter" run -q --ops all -- "${program[@]}" 2>run.err &
runner=$!
await find_run
await grep -q '"operations"' socket.txt
mark
await grep -q 'goes on after a pause' socket.txt
: >end
wait "$runner" || fail "run: $(cat run.err)"
wait "$listener" || fail "a client: $(cat client.err)"
check socket.txt
kill "$server"
wait "$server" || fail "the server did not end well"
