#!/bin/bash
# Programs with rights taken away: a system call that kills, memory that may
# not become code.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

tried=0
meter_options=(--ops all)
for how in seccomp mdwe; do
    compare "$programs/confine" "$how" "$programs/linked" "$models/mlp.onnx" 211
    [ "$rc" -ne 77 ] || continue # the kernel is too old
    [ "$rc" -eq 0 ] || fail "$how ends with $rc"
    counted 211
    # The kernels' tables are opened for a moment, and never as code.
    holds '[.ops[].count == 211] | length > 0 and all'
    tried=$((tried + 1))
done

# Memory that may not be written to stays as it is: without the kernels' tables
# there are no operators, without the runtime's own there is nothing, and the
# report says which.
relro=$(readelf -lW "$ort" | awk '$1 == "GNU_RELRO" { print $3, $6 }' | {
    read -r start size
    echo $(((start + size) / 4096 * 4096 - start / 4096 * 4096))
})
for bytes in "$relro" 4096; do
    compare "$programs/confine" "$bytes" "$programs/linked" "$models/mlp.onnx" \
        211
    [ "$rc" -ne 77 ] || continue
    [ "$rc" -eq 0 ] || fail "mprotect refused: it ends with $rc"
    "$ortmeter" report --db t.db >shown
    grep -q 'functions could not be written to' shown ||
        fail "the report does not say that memory stays shut"
    if [ "$bytes" = 4096 ]; then
        is '.latency.count // 0' 0
    else
        counted 211
        is '.operators_missing[0].reason' \
            'its tables of functions could not be written to'
        holds '(.ops // []) == []'
    fi
    tried=$((tried + 1))
done
[ "$tried" -gt 0 ] || skip "this kernel confines nothing"
