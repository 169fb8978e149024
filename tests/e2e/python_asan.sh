#!/bin/bash
# Every way to run a session with the newest onnxruntime under AddressSanitizer,
# which has Python's memory as well: it finds nothing, and all is as without us.
. "$(dirname "$0")/lib.sh"
. "$here/python_lib.sh"

need_tool gcc
use_python 3.11
asan=$(gcc -print-file-name=libasan.so)
[ -e "$asan" ] || skip "there is no libasan here"
# C++'s library before it is asked for exceptions; Python keeps no memory back.
run=(env "LD_PRELOAD=$asan $(gcc -print-file-name=libstdc++.so.6)" PYTHONMALLOC=malloc
    ASAN_OPTIONS=detect_leaks=0 "$python")
"${run[@]}" -c 'print(open("/proc/self/maps").read())' >maps 2>/dev/null || true
grep -q libasan maps || skip "this Python does not start with libasan"
meter_options+=(--quiet --ops all)
compare_all "${run[@]}" "$programs_py/calls.py" "$model" 101
! grep -q AddressSanitizer err || fail "it found something"
read -r runs failed async bound _ < <(tail -n 1 out)
is .latency.count $((runs + async + bound))
is .latency.failed "$failed"
is .lost_events 0
# Kernels of run_async run on another thread, and are found to be its own.
is '.sessions[1].latency.traced' "$async"
is '[.ops[] | select(.session == 2).count] | unique | join(",")' "$async"
