#!/bin/bash
# serve_elsewhere.sh -- every route and role at an address that is not loopback,
# by TLS, in a network namespace of the test's own.
. "$(dirname "$0")/lib.sh"
need_tool curl
need_tool node
need_tool ip
need_tool unshare
address=10.99.7.1

if [ "${1-}" != inside ]; then
    unshare -n true 2>/dev/null ||
        skip "a network namespace takes root, which we are not"
    unshare -n "$here/serve_elsewhere.sh" inside
    exit
fi

export ORTMETER_DB=$TMPDIR/t.db XDG_STATE_HOME=$TMPDIR/state
if ! ip link set lo up || ! ip address add "$address/32" dev lo; then
    skip "this network namespace takes no address"
fi
for role in viewer operator admin; do
    "$ortmeter" token create "$role" --role "$role" >"$role.token"
done
"$ortmeter" run -q -- true
id=$("$ortmeter" list --json | jq -r '.runs[0].run.id')

! "$ortmeter" serve --bind "$address" 2>refused.txt || fail "serves without TLS"
grep -q -- --tls-self-signed refused.txt || fail "$(cat refused.txt)"

"$ortmeter" serve --bind "$address" --tls-self-signed 2>serve.err &
server=$!
await is_serving serve.err
[[ $base == https://$address:* ]] || fail "no server: $(cat serve.err)"
node "$here/serve_roles.cjs" "$base" "$id" "$(cat viewer.token)" \
    "$(cat operator.token)" "$(cat admin.token)" closed >roles.txt 2>&1 ||
    fail "roles at $base: $(cat roles.txt)"
tail -n 1 roles.txt
[ "$(curl -sk -o out.txt -w '%{http_code}' "$base/metrics")" = 401 ] ||
    fail "in without a token"
[ "$(curl -sk -o out.txt -w '%{http_code}' -H 'Host: evil.example' \
    "$base/metrics")" = 421 ] || fail "another name is taken"
! curl -s -m 5 -o out.txt "http://${base#https://}/healthz" ||
    fail "plain HTTP is answered"
kill "$server"
wait "$server" || fail "the server did not end well"
