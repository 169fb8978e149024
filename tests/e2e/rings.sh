#!/bin/bash
# What processes leave for the meter, where there is little room for it.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Forked workers that may call next to nothing live, and are counted.
compare "$programs/confined" "$models/mlp.onnx" 4 300
[ "$rc" -ne 77 ] || skip "no seccomp here"
[ "$rc" -eq 0 ] || fail "a worker died"
counted 1201
is '.sessions | length' 1

# An inference is no cancellation point: not the first of a process, nor one in
# which a larger ring is made.
compare "$programs/cancelled" "$models/mlp.onnx" 20000
[ "$rc" -eq 0 ] || fail "a thread was cancelled in an inference: $(cat out)"
holds '.latency.count + .lost_events == 20000'

# Many short processes take little memory: each keeps its ring until it is read.
cat >crowd.sh <<'EOF'
count=$1
shift
for ((i = 0; i < count; i++)); do "$@" >/dev/null & done
wait
EOF
most=0
"$ortmeter" run --rate 0 -o run.json --db t.db -- \
    bash crowd.sh 200 "$programs/linked" "$models/mlp.onnx" 1 >out 2>err &
meter=$!
while kill -0 "$meter" 2>/dev/null; do
    now=$({ find /dev/shm/ortmeter-*-"$meter"-* -name '*ring' -printf '%b\n' \
        2>/dev/null || true; } | awk '{ s += $1 } END { printf "%d", s / 2 }')
    [ "$now" -le "$most" ] || most=$now
done
wait "$meter" || fail "exit code $?"
counted 200
echo "200 processes: at most $most kB of rings at a time"
[ "$most" -lt 50000 ] || fail "$most kB of shared memory"

[ "$(id -u)" -eq 0 ] || skip "only root can mount a small file system"
unshare --mount true 2>/dev/null || skip "no private mounts here"
export programs models ortmeter

# Twenty processes with 300 each, in a container's /dev/shm and in less; also
# where there is nowhere else to go.
for size in 64m 16m 1m; do
    for only in "" only; do
        rm -f run.json
        # shellcheck disable=SC2016 # the inner shell's
        unshare --mount bash -euc '
            mount -t tmpfs -o "size=$1" none /dev/shm
            [ -z "$2" ] || export TMPDIR=/dev/shm
            "$ortmeter" run --rate 0 -o run.json --db t.db -- \
                bash crowd.sh 20 "$programs/linked" "$models/mlp.onnx" 300 \
                >out 2>err' - "$size" "$only" || fail "$size: exit code $?"
        echo "$size $only: $(field .latency.count) counted," \
            "$(field .lost_events) lost," \
            "$(field '.not_followed | length') not followed"
        if [ "$(field '.not_followed | length')" -eq 0 ]; then
            holds '.latency.count + .lost_events >= 6000'
            [ "$only" = only ] || counted 6000
        else # it is said that what they ran is not known
            holds '.run.note | contains("is not known")'
            holds '.not_followed[0].reason | contains("room")'
        fi
    done
done
