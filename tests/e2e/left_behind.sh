#!/bin/bash
# Processes that a program leaves behind: the report comes when the program has
# ended and names them; with --wait they are part of the run.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

starter=("$programs/ways" daemon)
called=0
behind() { # words for run; the ticker ends when there is a file $stop
    stop=stop$((++called))
    rm -f log run.json
    "$ortmeter" run "$@" -o run.json --db t.db -- "${starter[@]}" \
        "$programs/ticker" "$models/mlp.onnx" log "$stop" >out 2>err &
    meter=$!
}
is_waiting() { ! pgrep -P "$meter" >/dev/null; } # it has no child any more

# It still runs, and is named.
# shellcheck disable=SC2016 # the inner shell's
meter sh -c '"$@" >late 2>&1 & until [ -s log ]; do :; done' - \
    "$programs/ticker" "$models/mlp.onnx" log stop
holds '.latency.count > 0'
holds '.run.note | contains("still run") and contains("ticker")'
touch stop
await grep -q "^ticker" late

# A daemon is waited for, and all of it is counted.
all_counted() {
    behind --wait
    await test -s log
    touch "$stop"
    wait "$meter" || fail "exit code $?"
    is .latency.count "$(wc -l <log)"
    is .lost_events 0
    holds '.run.note == null'
}
all_counted

# The same from Node and from Python, with an environment of its own.
cat >detach.cjs <<'EOF'
const { spawn } = require("node:child_process");
const [program, ...words] = process.argv.slice(2);
const env = { LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH };
spawn(program, words, { env, detached: true, stdio: "ignore" }).unref();
EOF
starter=(node detach.cjs)
all_counted
cat >detach.py <<'EOF'
import os, subprocess, sys
env = {"LD_LIBRARY_PATH": os.environ["LD_LIBRARY_PATH"]}
if sys.argv[1] == "popen":
    subprocess.Popen(sys.argv[2:], env=env, start_new_session=True)
elif os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve(sys.argv[2], sys.argv[2:], env)
EOF
if command -v python3 >/dev/null; then
    for way in popen daemon; do
        starter=(python3 detach.py "$way")
        all_counted
    done
fi
starter=("$programs/ways" daemon)

# The waiting ends after some time, or when somebody says so.
behind --wait 0.05
wait "$meter" || fail "exit code $?"
touch "$stop"
behind --wait
await test -s log
await is_waiting
kill -TERM "$meter"
wait "$meter" || fail "exit code $?"
holds '.run.note | contains("still run")'
touch "$stop"
