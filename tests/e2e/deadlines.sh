#!/bin/bash
# Receivers that never come to an end, at the end of a run: the program's end is
# not put off by them, nothing is lost, and it is said.  They go on for as long as
# the test lives, so that it ends at all is the limit's doing; that all of them
# share one limit, and how long it is, is in the tests fleet_shipper and sender.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

cat >peer.py <<'END'
# Answers with a byte now and then, or not at all, for ever.  Says its port, then
# a line for each request that came and for each client that hung up: it never
# does so itself.
import socket, sys, threading

def say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()

def serve(c, drips):
    asked = c.recv(65536).split(b" ")
    if len(asked) > 1:
        say("asked " + asked[1].split(b"?")[0].decode())
    c.settimeout(0.2)
    try:
        if drips:
            c.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            try:
                if not c.recv(65536):
                    break
            except TimeoutError:
                if drips:
                    c.sendall(b"X: y\r\n")
    except OSError:
        pass
    say("left")

s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(16)
say("port %d" % s.getsockname()[1])
while True:
    c, _ = s.accept()
    threading.Thread(target=serve, args=(c, sys.argv[1] == "drips"),
                     daemon=True).start()
END
asked() { # path: a request for it came
    grep -qx "asked $1" "$kind.log"
}
all_left() {
    [ "$(grep -c '^asked' "$kind.log")" -eq "$(grep -c '^left' "$kind.log")" ]
}
for kind in drips silent; do
    rm -f go
    python3 peer.py "$kind" >"$kind.log" &
    peer=$!
    trap 'kill $peer 2>/dev/null || true' EXIT
    await grep -q '^port' "$kind.log"
    number=$(sed -n 's/^port //p' "$kind.log")
    # The program goes on until all three receivers keep the meter waiting.
    timeout 300 "$ortmeter" run --quiet --db t.db \
        --store "clickhouse://127.0.0.1:$number/d" \
        --otlp "http://127.0.0.1:$number" \
        --remote-write "http://127.0.0.1:$number/w" -- \
        sh -c 'until [ -e go ]; do sleep 0.1; done' 2>err &
    meter=$!
    for path in / /v1/metrics /w; do
        await asked "$path"
    done
    touch go
    wait "$meter" || fail "$kind: it did not come to an end: $(cat err)"
    kill -0 "$peer" || fail "$kind: the receiver is gone"
    # It was the meter that hung up, on all of them.
    await all_left
    grep -q "is slow; the run is kept .* 'ortmeter ship'" err ||
        fail "$kind: nothing was said: $(cat err)"
    "$ortmeter" list --db t.db --json | jq -e '.runs[0].run.status == "complete"' ||
        fail "$kind: the run is not kept"
    kill "$peer"
    wait "$peer" 2>/dev/null || true
done
