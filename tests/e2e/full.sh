#!/bin/bash
# A full disk: the program runs to its end, the meter says so in one sentence,
# and what fitted is there and whole.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" -eq 0 ] || skip "only root can mount a small file system"
unshare --mount true 2>/dev/null || skip "no private mounts here"

export programs models ortmeter
mkdir small
# shellcheck disable=SC2016 # the inner shell's
unshare --mount bash -euc '
    mount -t tmpfs -o size=1m none small
    "$ortmeter" run --db small/t.db -- "$programs/linked" "$models/mlp.onnx" \
        200003 >out 2>err && rc=0 || rc=$?
    echo "$rc" >rc
    cp small/t.db* .
' || fail "could not use a small file system"

"$programs/linked" "$models/mlp.onnx" 200003 >plain.out
cmp plain.out out || fail "the program was disturbed"
grep -qi 'full\|no space' err || fail "nothing about the disk: $(cat err)"
[ "$(cat rc)" -eq 1 ] || fail "exit code $(cat rc), not 1"
[ "$(sqlite3 t.db 'PRAGMA integrity_check')" = ok ] || fail "t.db is damaged"
"$ortmeter" list --db t.db >list.out || fail "list failed"
grep -q linked list.out || fail "the run is not in the list"
