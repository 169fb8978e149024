#!/bin/bash
# serve_tls.sh -- a certificate of the server's own making, another one in its
# place without a restart, and who may show its panels.
. "$(dirname "$0")/lib.sh"
need_tool curl
need_tool openssl

export ORTMETER_DB=$TMPDIR/t.db XDG_STATE_HOME=$TMPDIR/state

await() { # what, command...
    local i
    for ((i = 0; i < 600; i++)); do
        "${@:2}" && return
        sleep 0.1
    done
    fail "never: $1: $(cat serve.err)"
}

serve() { # options...
    : >serve.err
    "$ortmeter" serve "$@" 2>serve.err &
    server=$!
    await 'the server' is_serving serve.err
}

end() {
    kill "$server"
    wait "$server" || fail "the server did not end well: $(cat serve.err)"
}

fingerprint() {
    openssl s_client -connect "${base#https://}" </dev/null 2>/dev/null |
        openssl x509 -noout -fingerprint -sha256 2>/dev/null |
        sed 's/.*=//'
}

# --- our own -------------------------------------------------------------------

serve --tls-self-signed --host meter.example \
    --embed-origin https://pages.example
mine=$XDG_STATE_HOME/ortmeter/tls-cert.pem
[ "$(stat -c %a "$XDG_STATE_HOME/ortmeter/tls-key.pem")" = 600 ] ||
    fail "others may read the key"
print=$(fingerprint)
grep -qF "$print" serve.err || fail "not told: $print: $(cat serve.err)"
curl -s --cacert "$mine" -o out.txt "$base/healthz" ||
    fail "its certificate is not for 127.0.0.1"
curl -s --cacert "$mine" -o out.txt \
    --connect-to "meter.example:${base##*:}:127.0.0.1:${base##*:}" \
    "https://meter.example:${base##*:}/healthz" || fail "nor for --host"
curl -sk -D headers.txt -o out.txt "$base/embed/energy"
grep -qi "frame-ancestors https://pages.example" headers.txt ||
    fail "$(cat headers.txt)"
curl -sk -D headers.txt -o out.txt "$base/"
grep -qi "frame-ancestors 'none'" headers.txt || fail "$(cat headers.txt)"
end
serve --tls-self-signed
[ "$(fingerprint)" = "$print" ] || fail "another certificate at each start"
end

# --- another in its place ---------------------------------------------------------

make_pair() { # name
    openssl req -x509 -newkey rsa:2048 -nodes -keyout "$1.key" -out "$1.pem" \
        -days 2 -subj "/CN=$1" >openssl.txt 2>&1 || fail "$(cat openssl.txt)"
}
make_pair one
make_pair two
cp one.pem cert.pem
cp one.key key.pem
serve --tls-cert cert.pem --tls-key key.pem
print=$(fingerprint)
other=$(openssl x509 -in two.pem -noout -fingerprint -sha256 | sed 's/.*=//')
# A pair that does not fit is not taken, and the server goes on.
cp two.pem cert.pem
for i in 1 2 3; do
    sleep 1.1 # it looks once a second
    [ "$(fingerprint)" = "$print" ] || fail "half a pair was taken"
done
cp two.key key.pem
is_other() { [ "$(fingerprint)" = "$other" ]; }
await 'the other certificate' is_other
end

# --- refused ------------------------------------------------------------------------

refuses() { # text, options...
    ! "$ortmeter" serve "${@:2}" 2>refused.txt || fail "took ${*:2}"
    grep -qF -- "$1" refused.txt || fail "$(cat refused.txt)"
}
refuses 'no certificate and its key' --tls-cert one.pem --tls-key two.key
refuses 'neither --tls-cert nor --tls-key' --tls-self-signed --tls-cert one.pem \
    --tls-key one.key
refuses '--embed-origin takes' --embed-origin 'https://a.example; script-src *'
refuses '--tls-self-signed' --bind 0.0.0.0
