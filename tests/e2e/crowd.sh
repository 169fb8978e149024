#!/bin/bash
# Kernels find their inference: with one thread and many, several sessions,
# parallel mode, RunAsync and both; all of them, and one in three.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

kernels=57 # of silero, with the bodies of its branches

check() { # library, ops, inferences, traced at least, crowd's arguments...
    local library=$1 ops=$2 all=$3 least=$4 line traced
    shift 4
    "$programs/crowd" "$@" "$library" "$silero" input=1x256 state=2x1x128 \
        >plain.out 2>plain.err
    "$programs/traced" -q "$hook" "$ops" "$programs/crowd" "$@" "$library" \
        "$silero" input=1x256 state=2x1x128 >out 2>err ||
        fail "$* --ops $ops: $(cat err)"
    grep -qxF "$(cat plain.out)" err || fail "$*: another result: $(cat err)"
    line=$(tail -n 1 out)
    traced=$(cut -d ' ' -f 2 <<<"$line")
    [ "$traced" -ge "$least" ] || fail "$* --ops $ops: $line"
    [[ $line == "traced $traced of $all, $((traced * kernels)) operator runs, 0 doubtful, "*" 0 lost" ]] ||
        fail "$* --ops $ops: $line"
}

for library in "$ort" "$(ort_library ort-1.17)" "$(ort_library ort-1.23)"; do
    [[ $library != *1.17* ]] || kernels=58 # a Cast of its own
    check "$library" all 101 101 run 1 1 100
    check "$library" all 201 201 run 1 4 50
    check "$library" all 243 243 run 3 8 30
    check "$library" 3 243 81 run 3 8 30
    check "$library" all 81 81 parallel 1 4 20
    check "$library" 3 81 27 parallel 1 4 20
    check "$library" all 123 123 parallel 3 8 15
    check "$library" all 121 121 async 1 1 120
    check "$library" 3 121 30 async 1 1 120
    check "$library" all 122 122 async 2 2 60
    check "$library" all 61 61 async-parallel 1 1 60
    kernels=57
done
