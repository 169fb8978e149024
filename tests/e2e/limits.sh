#!/bin/bash
# Programs at the limits that a system may set them: the hook stays out rather
# than step over one in their name.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# The limit is the program's: set behind the meter.
limited() { # ulimit's option, value
    # shellcheck disable=SC2016 # the inner shell's
    compare bash -c 'ulimit "$0" "$1" && shift && "$@"' "$1" "$2" \
        "$programs/linked" "$models/mlp.onnx" 211
    [ "$plain_rc" -eq 0 ] || fail "ulimit $1 $2 stops it without the meter, too"
    cmp plain.err err || fail "ulimit $1 $2: something else on stderr"
}

limited -f 100     # size of files, in kB: beyond it, a signal
limited -n 4       # open files: the standard ones and one more
limited -v 2000000 # address space, in kB
limited -c 0

# More records than the meter can take: what is lost is counted.
meter_options=(--buffer 64)
compare "$programs/linked" "$models/mlp.onnx" 200003
[ "$rc" -eq 0 ] || fail "the program failed"
holds '.lost_events > 0'
holds '.latency.count + .lost_events >= 200003'
holds '.latency.count < 200003'
