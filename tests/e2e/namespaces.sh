#!/bin/bash
# A program that sees other process ids than the meter does, as in containers.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

inside=(unshare --pid --fork --mount-proc)
"${inside[@]}" true 2>log || inside=(unshare --map-root-user "${inside[@]:1}")
"${inside[@]}" true 2>log || skip "no process ids of one's own: $(cat log)"

# Its number there is one that nobody has here, then one that somebody has.
high=$(($(cat /proc/sys/kernel/pid_max) - 100))
for last in "$high" 1; do
    # shellcheck disable=SC2016 # the inner shell's
    compare "${inside[@]}" sh -c '
        echo "$0" >/proc/sys/kernel/ns_last_pid || exit 9
        "$@"
        exit $?' "$last" "$programs/linked" "$models/mlp.onnx" 20011
    [ "$rc" -eq 0 ] || fail "the program ends with $rc"
    counted 20011
    holds '(.run.note // "") | contains("still run") | not'
done
