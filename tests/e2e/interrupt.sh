#!/bin/bash
# Ctrl-C at a terminal: SIGINT to the whole group ends both, with a report.
# A SIGTERM for the meter alone reaches the program, too.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
set -m # a process group for each job, and SIGINT not ignored in it

begin() { # command before the program's
    rm -f log run.json pid
    env --default-signal=TSTP "$ortmeter" run -o run.json --db t.db -- sh -c 'echo $$ >pid; exec "$@"' - \
        "$@" "$programs/ticker" "$models/mlp.onnx" log stop >out 2>err &
    await test -s log
}
gone() { ! [ -e "/proc/$(cat pid)" ]; }

end() { # exit code
    rc=0
    wait $! || rc=$?
    [ "$rc" -eq "$1" ] || fail "exit code $rc, not $1"
    gone || fail "the program is still there"
    holds ".latency.count > 0 and .latency.count <= $(wc -l <log) + 1"
}

begin
kill -INT -- -$!
end 130

begin
kill -TERM $!
end 143

# Ctrl-Z, and continued: both stand still, both go on.
state() { cut -d ' ' -f 3 "/proc/$1/stat"; }
both_are() { [[ $(state $!)$(state "$(cat pid)") =~ ^[$1][$1]$ ]]; }
begin
kill -TSTP -- -$!
await both_are T
lines=$(wc -l <log)
kill -CONT -- -$!
goes_on() { [ "$(wc -l <log)" -gt "$lines" ]; }
await goes_on
kill -TERM $!
end 143

# A program that takes its time to end is waited for, and its code counts.
begin sh -c 'trap "touch stop; wait; exit 5" INT; "$@" & wait' -
kill -INT -- -$!
end 5

# At a terminal the program may read from it, and Ctrl-C is typed.
need_tool script
rc=0
echo hello | script -qec "'$ortmeter' run --quiet --db t.db -- \
    sh -c 'read x; echo got \$x; exit 3'" /dev/null >out 2>err || rc=$?
[ "$rc" -eq 3 ] || fail "exit code $rc at a terminal"
grep -q 'got hello' out || fail "it could not read from the terminal"
