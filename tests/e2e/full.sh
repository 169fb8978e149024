#!/bin/bash
# A full disk: the program runs to its end, the meter says so in one sentence,
# and what fitted is there and whole.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" -eq 0 ] || skip "only root can mount a small file system"
unshare --mount true 2>/dev/null || skip "no private mounts here"

export programs models ortmeter
count=200003
"$programs/linked" "$models/mlp.onnx" "$count" >plain.out
mkdir small

# Runs the program with next to no room in a folder.
cramped() { # size, folder, database
    # shellcheck disable=SC2016 # the inner shell's
    unshare --mount bash -uc '
        mount -t tmpfs -o "size=$1" none "$2" || exit
        "$ortmeter" run --db "$3" -- "$programs/linked" "$models/mlp.onnx" \
            "$4" >out 2>err
        echo $? >rc
        [ "$3" = t.db ] || cp "$3"* .' - "$@" "$count" ||
        fail "could not use a small file system"
    cmp plain.out out || fail "the program was disturbed"
    [ "$(sqlite3 t.db 'PRAGMA integrity_check')" = ok ] ||
        fail "t.db is damaged"
    "$ortmeter" list --db t.db >list.out || fail "list failed"
    grep -q linked list.out || fail "the run is not in the list"
}

# For the database.
cramped 1m small small/t.db
grep -qi 'full\|no space' err || fail "nothing about the disk on stderr"
[ "$(cat rc)" -eq 1 ] || fail "exit code $(cat rc), not 1"

# For what the program hands to the meter: then it is that which is told, and
# not that there was nothing to see.
rm t.db*
cramped 1m /dev/shm t.db
! grep -qi 'nor a program that it started' err || fail "a wrong reason"
grep -qi 'full\|no space\|no room\|200003' err || fail "no reason on stderr"
