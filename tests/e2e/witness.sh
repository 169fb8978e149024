#!/bin/bash
# Operators that time themselves bear witness: what we measure of them from
# outside holds their own account, and lies within the call, in each inference
# that was looked into.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# The place of each inference of which all is kept, and its operators and what
# they took.
looked_into() {
    sqlite3 -separator ' ' t.db 'SELECT i.number, count(*), sum(o.kernel_ns)
        FROM inferences i
        JOIN operator_runs o ON o.run = i.run AND o.inference = i.number
        GROUP BY i.number ORDER BY i.number'
}

meter_options=(--ops 5)
meter "$programs/witness" 101 "$models/chain.onnx"
[ "$rc" -eq 0 ] || fail "the program failed"
counted 101
looked_into >looked
# Of 21 the first four, the 8th and the 16th at least.
[ "$(wc -l <looked)" -ge 6 ] || fail "too few are kept: $(wc -l <looked)"
awk 'NR == FNR { operators[NR] = $1; own[NR] = $2; run[NR] = $3; next }
    $2 != operators[$1] || $3 < own[$1] || $3 > run[$1] {
        print "inference", $1 ":", $3, "not from", own[$1], "to", run[$1]
        bad = 1
    }
    END { exit bad }' out looked >against ||
    fail "$(head -n 1 against)"
