#!/bin/bash
# serve_control.sh -- a run that goes on is paused, traced and sampled otherwise
# through the API, by a server of its own and by run --serve; its program's own
# count is the witness.
. "$(dirname "$0")/lib.sh"
need_tool curl
need_tool node
need_tool jq
[ -e "$silero" ] || skip "no silero here: tools/deps.sh test"

export ORTMETER_DB=$TMPDIR/t.db XDG_STATE_HOME=$TMPDIR/state
export XDG_RUNTIME_DIR=$TMPDIR/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"
sockets=$XDG_RUNTIME_DIR/ortmeter
program=(node "$here/until.cjs" "$npm/onnxruntime-node" "$silero" end count
    "${silero_inputs[@]}")

# Tries the command until it succeeds, for a minute at most.
await() { # what, command...
    local i
    for ((i = 0; i < 600; i++)); do
        "${@:2}" && return
        sleep 0.1
    done
    fail "never: $1: $(cat answer.json 2>/dev/null)"
}

# The status; the answer is in answer.json.
ask() { # method, path, curl's arguments...
    curl -s -o answer.json -w '%{http_code}' -X "$1" "${@:3}" \
        "$base/api/profiling$2"
}

steer() { # status, body
    local got
    got=$(ask POST "/run/$id/control" -H "Authorization: Bearer $owner" \
        -H 'Content-Type: application/json' -d "$2")
    [ "$got" = "$1" ] || fail "control $2: $got, not $1: $(cat answer.json)"
}

holds() { # jq's filter
    jq -e "$1" answer.json >/dev/null || fail "not $1: $(cat answer.json)"
}

find_run() {
    [ "$(ask GET '/runs?status=running')" = 200 ] &&
        id=$(jq -er '.runs[0].run_id' answer.json)
}

recorded() {
    curl -s "$base/api/sessions?run=$id" | jq '.sessions[0].inferences // 0'
}

done_so_far() { cat count 2>/dev/null || echo 0; }

runs_on() { # how many inferences from then on, then
    [ "$(done_so_far)" -ge $(($2 + $1)) ]
}

# The program goes on, and nothing of it is recorded.
is_still() {
    local before now
    before=$(recorded)
    now=$(done_so_far)
    await 'the program goes on' runs_on 400 "$now"
    # What was under way is committed within a fifth of a second.
    [ "$(recorded)" = "$before" ]
}

grows() { # since
    [ "$(recorded)" -gt "$1" ]
}

is_traced() {
    curl -s "$base/api/operators?run=$id" >answer.json
    jq -e '.traced > 0' answer.json >/dev/null
}

start_run() { # options...
    rm -f end count
    "$ortmeter" run -q "$@" -- "${program[@]}" >program.txt 2>run.err &
    runner=$!
}

end_run() {
    : >end
    wait "$runner" || fail "the program failed: $(cat run.err)"
}

# --- by a server of its own ---------------------------------------------------

"$ortmeter" serve 2>serve.err &
server=$!
await 'the server' is_serving serve.err
start_run --ops off --rate 50
await 'the run' find_run
await 'inferences' grows 0
[ "$(stat -c %a "$sockets")" = 700 ] || fail "others may look into $sockets"
[ -S "$sockets/$id" ] || fail "no socket: $(ls -l "$sockets")"

[ "$(ask GET "/run/$id/control")" = 200 ] || fail "$(cat answer.json)"
holds '.live and .paused == false and .rate_hz == 50 and .ops == "off"'
[ "$(ask POST "/run/$id/control" -H 'Content-Type: application/json' \
    -d '{}')" = 403 ] || fail "a viewer may control"
steer 400 '{"rate_hz":0}'
steer 400 '{"stop":true}'
holds '.code == "bad_body" and (.detail | test("generation"))'
steer 200 '{}'

# The session is open, and no table was redirected so far.
! is_traced || fail "traced with --ops off"
steer 200 '{"ops":"all"}'
holds '.ops == "all"'
await 'operators' is_traced
steer 200 '{"rate_hz":200,"ops":16}'
holds '.rate_hz == 200 and .ops == 16'

steer 200 '{"paused":true}'
holds '.paused'
await 'a pause' is_still
before=$(recorded)
steer 200 '{"paused":false}'
await 'inferences after a pause' grows "$before"

# A collector that does not answer is no reason to wait, and what was wished for
# then is not done later.
kill -STOP "$runner"
steer 503 '{"paused":true}'
kill -CONT "$runner"
steer 200 '{}'
holds '.paused == false'

end_run
[ "$(recorded)" -le $(($(done_so_far) - 400)) ] ||
    fail "$(recorded) of $(done_so_far) recorded: where is the pause?"
curl -s "$base/api/events?run=$id&kind=mark" >answer.json
for text in 'recording is paused' 'goes on after a pause' 'traced: all' \
    'sampled at 200 Hz'; do
    holds "any(.events[]; .text | contains(\"$text\"))"
done
steer 409 '{"paused":true}'
[ "$(ask GET "/run/$id/control")" = 200 ] || fail "$(cat answer.json)"
holds '.live == false and (has("paused") | not)'
[ -z "$(ls -A "$sockets")" ] || fail "left behind: $(ls -A "$sockets")"

# --- a collector that was killed ------------------------------------------------

start_run
await 'the run' find_run
await 'inferences' grows 0
child=$(cat "/proc/$runner/task/$runner/children")
kill -KILL "$runner"
wait "$runner" 2>/dev/null || true
: >end
is_gone() { [ ! -e "/proc/${child%% *}" ]; }
await 'the end of its program' is_gone
[ -S "$sockets/$id" ] || fail "the killed one left no socket"
steer 409 '{"paused":true}'
dead=$sockets/$id
kill "$server"
wait "$server" || fail "the server did not end well"

# --- run --serve ------------------------------------------------------------------

start_run --serve
await 'the server' is_serving run.err
await 'the run' find_run
[ ! -e "$dead" ] || fail "a dead socket stays"
steer 200 '{"paused":true,"ops":"off"}'
holds '.paused and .ops == "off"'
await 'a pause' is_still
steer 200 '{"paused":false}'
end_run

# --- where there is no place for a socket --------------------------------------------

chmod 755 "$sockets"
XDG_RUNTIME_DIR=$TMPDIR/runtime "$ortmeter" run -q -- true ||
    fail "a run needs a socket"
