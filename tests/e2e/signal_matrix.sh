#!/bin/bash
# Every signal that people and supervisors send, to whomever they send it: the
# program gets it as often as without the meter, and whoever waits sees the same
# of the meter as of the program.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

matrix=$programs/signal_matrix
export HOW

# The first process is the program itself, or the meter.
one() { # target, signal's number, words before the program
    local target=$1 number=$2
    shift 2
    rm -f state
    "$matrix" send "$target" "$number" state -- "$@" \
        "$matrix" serve state "$HOW" 2>>err || fail "the supervisor failed"
}

for HOW in catch default; do
    targets="first service group each"
    # One by default ends it, and the second has nobody to go to.
    [ "$HOW" = default ] || targets+=" both"
    for name in INT QUIT TERM HUP USR1 USR2 ALRM TSTP CONT WINCH; do
        for target in $targets; do
            number=$(kill -l "$name")
            one "$target" "$number" >without
            one "$target" "$number" "$ortmeter" run --quiet --rate 0 \
                --db t.db -- >with
            diff without with ||
                fail "SIG$name to $target ($HOW): not as without the meter"
        done
    done
done

# A core dump is the program's, not ours as well.
[ "$(find . -name 'core*' | wc -l)" -le 2 ] || fail "the meter left a core"
