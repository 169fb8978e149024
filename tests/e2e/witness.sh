#!/bin/bash
# Operators that time themselves bear witness: what we measure of them from
# outside holds their own account, and lies within the call, in each inference
# that was looked into.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Whether it was only timed, its place, and its operators and what they took.
looked_into() {
    sqlite3 -separator ' ' t.db 'SELECT i.flags & 1024 > 0, i.number, count(*),
        sum(o.kernel_ns) FROM inferences i
        JOIN operator_runs o ON o.run = i.run AND o.inference = i.number
        GROUP BY i.number ORDER BY i.number'
}

meter_options=(--ops 5)
meter "$programs/witness" 101 "$models/chain.onnx"
[ "$rc" -eq 0 ] || fail "the program failed"
counted 101
looked_into >looked
cut -d ' ' -f 1 looked | sort | uniq -c | awk '{ print $2, ($1 > 1) }' >kinds
diff kinds - <<<$'0 1\n1 1' || fail "not both kinds: described and timed"
awk 'NR == FNR { operators[NR] = $1; own[NR] = $2; run[NR] = $3; next }
    $3 != operators[$2] || $4 < own[$2] || $4 > run[$2] {
        print "inference", $2 ":", $4, "not from", own[$2], "to", run[$2]
        bad = 1
    }
    END { exit bad }' out looked >against ||
    fail "$(head -n 1 against)"
