#!/bin/bash
# docs/deploy.md, as far as it goes without a container engine.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# A service under a supervisor that stops it as systemd does: every process of
# it, one after the other.  It ends as the program does.
export HOW
for HOW in catch default; do
    rm -f state
    "$programs/signal_matrix" send each "$(kill -l TERM)" state -- "$ortmeter" \
        run --quiet --db t.db -- "$programs/signal_matrix" serve state "$HOW" \
        >out 2>err || fail "the supervisor failed"
    if [ "$HOW" = catch ]; then
        printf 'arrived 1\nexit code 7\n' >expected
    else
        printf 'ended by 15\n' >expected
    fi
    diff expected out || fail "the service ended otherwise ($HOW)"
done

[ "$(id -u)" -eq 0 ] || skip "only root can make namespaces here"
unshare --mount --pid --fork true 2>/dev/null || skip "no namespaces here"
export programs models ortmeter

# A container: process 1, its own /proc, a small /dev/shm, nothing else to be
# written but a volume, and no home.
mkdir data
# shellcheck disable=SC2016 # the inner shell's
unshare --mount --pid --fork --mount-proc bash -euc '
    mount -t tmpfs -o size=64m none /dev/shm
    exec env -u HOME "$ortmeter" run --quiet --db data/runs.db -- sh -c "
        (sleep 0.01 &) ; \"$programs/linked\" \"$models/mlp.onnx\" 53; exit 4"' \
    >out 2>err || rc=$?
[ "$rc" -eq 4 ] || fail "process 1 ends with $rc: $(cat err)"
"$ortmeter" report last --json --db data/runs.db >run.json
counted 53

# Stopped from outside: SIGTERM to process 1 alone.
unshare --mount --pid --fork --mount-proc "$ortmeter" run --quiet \
    --db data/runs.db -- sh -c 'trap "exit 9" TERM; echo ready >ready
        while :; do sleep 0.01; done' >out 2>err &
await test -s ready
kill -TERM "$(pgrep -P "$!")"
rc=0
wait "$!" || rc=$?
[ "$rc" -eq 9 ] || fail "stopped, process 1 ends with $rc"

# No home, and none that can be written: the sentence names --db, and the
# program runs; --strict is for those who would rather not.
rc=0
env -u HOME -u XDG_DATA_HOME "$ortmeter" run -- sh -c 'echo ran' >out 2>err ||
    rc=$?
grep -q -- --db err || fail "nothing of --db: $(cat err)"
grep -q ran out || fail "the program did not run"
[ "$rc" -eq 0 ] || fail "exit code $rc"
rc=0
env -u HOME -u XDG_DATA_HOME "$ortmeter" run --strict -- sh -c 'echo ran' \
    >out 2>err || rc=$?
[ ! -s out ] || fail "the program ran in spite of --strict"
refused 1 --db
rc=0
"$ortmeter" run -o none/x.json --db t.db -- sh -c 'echo ran' >out 2>err || rc=$?
[ ! -s out ] || fail "the program ran, and its summary had no place"
refused 1 none

# Under another root, with the two files where an init container copies them.
mkdir -p root/{opt/ortmeter,data,proc,tmp}
cp "$ortmeter" "$hook" root/opt/ortmeter/
cp "$programs/linked" root/server
cp "$models/mlp.onnx" root/
ldd "$ortmeter" "$programs/linked" | grep -o '/[^ :]* ' | sort -u |
    xargs cp -L --parents -t root
# shellcheck disable=SC2016 # the inner shell's
unshare --mount --pid --fork bash -euc '
    mount -t proc none root/proc
    exec env -u HOME TMPDIR=/tmp chroot root /opt/ortmeter/ortmeter run \
        --quiet --db /data/runs.db -o /data/run.json -- /server /mlp.onnx 61' \
    >out 2>err || fail "under another root: $(cat err)"
cp root/data/run.json run.json
counted 61

# Behind a change of user: the meter is that user's.
if command -v setpriv >/dev/null; then
    mkdir -m 777 open
    [ -x "${ortmeter%/*}" ] && chmod o+x . 2>/dev/null
    if setpriv --reuid 65534 --regid 65534 --clear-groups \
        test -r "$models/mlp.onnx" -a -x "$ortmeter" -a -x open; then
        HOME=/nonexistent setpriv --reuid 65534 --regid 65534 --clear-groups \
            "$ortmeter" run --db "$PWD/open/runs.db" -o open/run.json -- \
            "$programs/linked" "$models/mlp.onnx" 59 >out 2>err ||
            fail "as another user: $(cat err)"
        cp open/run.json run.json
        counted 59
    fi
fi
