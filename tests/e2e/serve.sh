#!/bin/bash
# The server: live inferences arrive once and in order, whoever started first and
# whoever was killed; every route keeps its role; what is hostile is refused.
. "$(dirname "$0")/lib.sh"
command -v curl >/dev/null || skip "no curl here"
command -v node >/dev/null || skip "no node here"
[ -e "$silero" ] || skip "no silero here: tools/deps.sh test"
node --experimental-websocket -e 'new WebSocket("ws://127.0.0.1:1")' \
    >/dev/null 2>&1 || skip "this node has no WebSocket"

export ORTMETER_DB=$TMPDIR/t.db XDG_STATE_HOME=$TMPDIR/state
count=1009
program=(node "$here/infer.cjs" "$npm/onnxruntime-node" "$silero" "$count"
    "${silero_inputs[@]}")
client=(node --experimental-websocket "$SRC/samples/live.mjs")

# A port that nobody else has: the server finds one itself.
serve() { # options...
    : >serve.err
    "$ortmeter" serve "$@" 2>serve.err &
    server=$!
    await is_serving serve.err
}

# Its first words say that it is told everything from now on.
listen() { # file
    : >"$1"
    : >client.err
    "${client[@]}" "$base" >"$1" 2>client.err &
    listener=$!
    await grep -q listening client.err
}

status() { # curl's arguments
    curl -sk -o answer.txt -w '%{http_code}' "$@" || true
}

expect() { # status, curl's arguments
    local got
    got=$(status "${@:2}")
    [ "$got" = "$1" ] || fail "${*:2}: $got, not $1: $(head -c 300 answer.txt)"
}

# All of them, once, in order.
check_numbers() { # file
    seq "$count" | cmp - <(awk '{ print $1 }' "$1") >cmp.txt 2>&1 ||
        fail "$1: $(wc -l <"$1") inferences, $(cat cmp.txt)"
}

# --- serve before the run ------------------------------------------------------

port=$(free_port)
serve --port "$port"
listen before.txt
"$ortmeter" run -q --tag nightly -- "${program[@]}" >program.txt
wait "$listener" || fail "the client: $(cat client.err)"
check_numbers before.txt
id=$(curl -s "$base/api/profiling/runs?limit=1" | jq -r '.runs[0].run_id')
curl -s "$base/api/sessions?run=$id" >sessions.json
[ "$(jq '.sessions[0].inferences' sessions.json)" = "$count" ] ||
    fail "sessions: $(cat sessions.json)"

# --- a server that is killed, and another in its place --------------------------

listen killed.txt
"$ortmeter" run -q -- "${program[@]}" >program.txt &
runner=$!
has_50() { [ "$(wc -l <killed.txt)" -ge 50 ]; }
await has_50
kill -KILL "$server"
wait "$server" 2>/dev/null || true
serve --port "$port"
wait "$runner" "$listener" || fail "after a kill: $(cat client.err)"
check_numbers killed.txt
kill "$server"
wait "$server" || fail "the server did not end well"

# --- run --serve, and the client in Python ---------------------------------------

: >run.err
"$ortmeter" run -q --serve -- "${program[@]}" >program.txt 2>run.err &
runner=$!
await is_serving run.err
python3 "$SRC/samples/live.py" 127.0.0.1 "${base##*:}" >python.txt ||
    fail "samples/live.py"
wait "$runner" || fail "run --serve: $(cat run.err)"
# It came when the program had begun: the last of them, without a hole.
awk 'NR > 1 && $1 != last + 1 { exit 1 } { last = $1 }
    END { exit last != '"$count"' }' python.txt || fail "a hole in python.txt"

# --- roles, plain and by TLS --------------------------------------------------------

for role in viewer operator admin; do
    "$ortmeter" token create "$role" --role "$role" >"$role.token"
done
roles() { # more
    node "$here/serve_roles.cjs" "$base" "$id" "$(cat viewer.token)" \
        "$(cat operator.token)" "$(cat admin.token)" "$@" >roles.txt 2>&1 ||
        fail "roles at $base: $(cat roles.txt)"
    tail -n 1 roles.txt
}
serve
roles
kill "$server"
wait "$server" || true
serve --require-token
roles closed
"$ortmeter" token revoke viewer
for ((i = 0; i < 100; i++)); do
    [ "$(status -H "Authorization: Bearer $(cat viewer.token)" \
        "$base/metrics")" != 401 ] || break
    sleep 0.1
done
expect 401 -H "Authorization: Bearer $(cat viewer.token)" "$base/metrics"
kill "$server"
wait "$server" || true

openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 \
    -subj /CN=localhost >openssl.txt 2>&1 || fail "openssl: $(cat openssl.txt)"
"$ortmeter" token create viewer >viewer.token
serve --tls-cert cert.pem --tls-key key.pem
[[ $base == https://* ]] || fail "no TLS: $base"
roles
for version in -tls1 -tls1_1; do
    ! openssl s_client "$version" -cipher 'ALL:@SECLEVEL=0' \
        -connect "${base#https://}" </dev/null >openssl.txt 2>&1 ||
        fail "TLS of old: $version"
done
# Only what keeps its secrets when the key is lost one day, and is not broken.
for ciphers in aNULL eNULL MD5 SHA1 kRSA DHE CBC CAMELLIA ARIA; do
    ! openssl s_client -tls1_2 -cipher "$ciphers:@SECLEVEL=0" \
        -connect "${base#https://}" </dev/null >openssl.txt 2>&1 ||
        fail "a weak cipher: $ciphers"
done
openssl s_client -tls1_2 -connect "${base#https://}" </dev/null \
    >openssl.txt 2>&1 || fail "no TLS 1.2: $(cat openssl.txt)"
kill "$server"
wait "$server" || true

! "$ortmeter" serve --bind 0.0.0.0 2>refused.txt || fail "serves all without TLS"
grep -q -- --tls-cert refused.txt || fail "$(cat refused.txt)"

# --- what is hostile, or only wrong ---------------------------------------------------

serve
bearer=(-H "Authorization: Bearer $owner")
json=(-H 'Content-Type: application/json')
one=$base/api/profiling/run/$id
upgrade=(-H 'Connection: Upgrade' -H 'Upgrade: websocket'
    -H 'Sec-WebSocket-Version: 13'
    -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==')
expect 421 -H 'Host: evil.example' "$base/metrics"
expect 400 "$base/%00"
expect 400 "$base/%00?run=last"
# Without a version nothing is known to stand behind the path.
exec 3<>"/dev/tcp/127.0.0.1/${base##*:}"
printf 'GET /healthz\r\nHost: 127.0.0.1:%s\r\n\r\n' "${base##*:}" >&3
read -r -t 60 line <&3 || fail "no answer without a version"
exec 3>&-
[[ $line == 'HTTP/1.'?' 400'* ]] || fail "without a version: $line"
expect 403 -H 'Origin: http://evil.example' "$base/metrics"
expect 403 -H 'Origin: http://evil.example' -X DELETE "${bearer[@]}" "$one"
expect 403 "${upgrade[@]}" -H 'Origin: http://evil.example' "$base/ws/metrics"
expect 421 "${upgrade[@]}" -H 'Host: evil.example' "$base/ws/metrics"
expect 401 "${upgrade[@]}" -H 'Authorization: Bearer x' "$base/ws/metrics"
expect 426 "$base/ws/metrics"
expect 404 --path-as-is "$base/../../etc/passwd"
expect 404 --path-as-is "$base/assets/../../etc/passwd"
expect 404 "$base/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd"
expect 400 "$base/api/profiling/runs?model=%c0%af"
expect 400 "$base/api/profiling/runs?limit=5&limit=5"
expect 400 "$base/api/profiling/runs?nothing=1"
jq -e '.parameter == "nothing"' answer.txt >/dev/null || fail "no parameter"
expect 400 -H 'Transfer-Encoding: chunked' -X POST -d x "$base/metrics"
for method in PUT POST DELETE PATCH OPTIONS; do
    expect 405 -X "$method" "$base/metrics"
done
expect 404 "$base/api/profiling/run/ffffffff"
expect 403 -X DELETE "$one"
expect 415 -X PATCH "${bearer[@]}" -d '{}' "$one"
expect 400 -X PATCH "${bearer[@]}" "${json[@]}" -d '{"x":1}' "$one"
head -c 2000000 /dev/zero | tr '\0' ' ' >large.txt
expect 413 -X PATCH "${bearer[@]}" "${json[@]}" --data-binary @large.txt "$one"
expect 200 -X PATCH "${bearer[@]}" "${json[@]}" -d '{"note":"good","tags":"a"}' \
    "$one"
expect 404 -X DELETE "${bearer[@]}" "$base/api/profiling/run/${id:0:8}"
# The examples of docs/api.md, the last of which deletes the run.
example() { # language
    sed -n "/^\`\`\`$1$/,/^\`\`\`$/p" "$SRC/docs/api.md" | sed '/^```/d' |
        sed "s|http://127.0.0.1:8000|$base|" >"example.$1"
}
for language in js python sh; do example "$language"; done
node --input-type=module <example.js >out.txt || fail "the example for JavaScript"
grep -qx "$id complete" out.txt || fail "JavaScript: $(cat out.txt)"
NO_PROXY=127.0.0.1 python3 example.python >python.txt || fail "that for Python"
cmp out.txt python.txt || fail "Python says: $(cat python.txt)"
TOKEN=$owner RUN_ID=$id sh -e example.sh >out.txt 2>err.txt ||
    fail "that for the shell: $(cat err.txt)"
grep -q '"success":true' out.txt || fail "curl: $(cat out.txt)"
expect 404 "$one"
printf 'garbage\r\n\r\n' >"/dev/tcp/127.0.0.1/${base##*:}" || true
expect 200 "$base/healthz"
grep -q '"status":421' "$XDG_STATE_HOME/ortmeter/audit.log" || fail "no log"
! grep -qF -e "$owner" -e "$(cat admin.token)" \
    "$XDG_STATE_HOME/ortmeter/audit.log" || fail "a token in the log"
! grep -qF "$(cat admin.token)" "$XDG_STATE_HOME/ortmeter/tokens" ||
    fail "a token in the file"
for ((i = 0; i < 12; i++)); do
    got=$(status -H 'Authorization: Bearer x' "$base/metrics")
done
[ "$got" = 429 ] || fail "no lock-out: $got"
if command -v promtool >/dev/null; then
    curl -s "$base/metrics?run=last" | promtool check metrics >prom.txt 2>&1 ||
        fail "promtool: $(cat prom.txt)"
fi
kill "$server"
wait "$server" || true
