#!/bin/bash
# serve_fuzz.sh -- two thousand damaged requests and frames: the server answers
# what it can, drops the rest, and serves on.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
need_tool curl
need_tool node

export ORTMETER_DB=$TMPDIR/t.db XDG_STATE_HOME=$TMPDIR/state
"$ortmeter" run -q -- true
id=$("$ortmeter" list --json | jq -r '.runs[0].run.id')
"$ortmeter" serve 2>serve.err &
server=$!
await is_serving serve.err
node "$here/serve_fuzz.cjs" "${base##*:}" "$owner" "$id" 2000 >fuzz.txt 2>&1 ||
    fail "$(tail -c 2000 fuzz.txt)"
tail -n 1 fuzz.txt
node "$here/serve_hostile.cjs" "${base##*:}" "$owner" "$id" >hostile.txt 2>&1 ||
    fail "$(cat hostile.txt)"
[ "$(grep -c '"status":"closed"' "$XDG_STATE_HOME/ortmeter/audit.log")" -ge 100 ] ||
    fail "what was closed is not in the log"
[ "$(curl -s "$base/healthz" | jq -r .status)" = ok ] || fail "it is not well"
jq -es 'all(.[]; has("time") and has("status"))' \
    "$XDG_STATE_HOME/ortmeter/audit.log" >/dev/null ||
    fail "the log is damaged: $(tail -n 3 "$XDG_STATE_HOME/ortmeter/audit.log")"
! grep -qF "$owner" "$XDG_STATE_HOME/ortmeter/audit.log" || fail "a token in it"
kill "$server"
wait "$server" || fail "the server did not end well: $(cat serve.err)"
