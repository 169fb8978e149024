#!/bin/bash
# Receivers that never come to an end, at the end of a run: the program's end is
# not put off by them for long, nothing is lost, and it is said.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

cat >peer.py <<'END'
# Answers with a byte now and then, or not at all, for ever.
import socket, sys, threading, time

def serve(c, drips):
    try:
        if drips:
            c.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            time.sleep(0.2)
            if drips:
                c.sendall(b"X: y\r\n")
    except OSError:
        pass

s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(16)
print(s.getsockname()[1], flush=True)
while True:
    c, _ = s.accept()
    threading.Thread(target=serve, args=(c, sys.argv[1] == "drips"),
                     daemon=True).start()
END
for kind in drips silent; do
    rm -f port
    mkfifo port
    python3 peer.py "$kind" >port &
    peer=$!
    trap 'kill $peer 2>/dev/null || true' EXIT
    read -r number <port
    # Long enough that the recording's own sending has begun.
    timeout 60 "$ortmeter" run --quiet --db t.db \
        --store "clickhouse://127.0.0.1:$number/d" \
        --otlp "http://127.0.0.1:$number" \
        --remote-write "http://127.0.0.1:$number/w" -- sleep 6 2>err ||
        fail "$kind: it did not come to an end: $(cat err)"
    grep -q "ortmeter ship" err || fail "$kind: nothing was said: $(cat err)"
    "$ortmeter" list --db t.db --json | jq -e '.runs[0].run.status == "complete"' ||
        fail "$kind: the run is not kept"
    kill "$peer"
    wait "$peer" 2>/dev/null || true
done
