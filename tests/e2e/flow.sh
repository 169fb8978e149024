#!/bin/bash
# Branches in a loop and in a scan: every operator ran as often as the model
# says, each is in the body it belongs to, and the parts add up.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# As tools/models/flow.c draws it: operator, in whose body, times an inference.
expected() {
    cat <<'END'
/above/Abs /scan/If 5
/loop/Equal /main/Loop 3
/loop/Identity /main/Loop 3
/loop/If /main/Loop 3
/main/Gather - 1
/main/Loop - 1
/main/Relu - 1
/main/Scan - 1
/others/Mul /loop/If 2
/others/Sub /loop/If 2
/scan/Add /main/Scan 5
/scan/If /main/Scan 5
/scan/Less /main/Scan 5
/scan/ReduceSum /main/Scan 5
/second/Add /loop/If 1
END
}

meter_options=(--ops all)
compare "$programs/linked" "$models/flow.onnx" 101
counted 101
is .latency.traced 101
# shellcheck disable=SC2016 # jq's variables
field '(.ops | map({ key: (.id | tostring), value: .name }) | from_entries)
    as $names | .ops[] | "\(.name) \($names[.within // 0 | tostring] // "-") " +
    "\(.count / 101)"' | LC_ALL=C sort >our.txt
diff our.txt <(expected) || fail "not as the model says"
holds '[.gaps.sessions[] | (.operators_us + .control_flow_us + .between_us
    + .before_first_us + .after_last_us - .run_us) / .run_us
    | fabs < 0.001] == [true]'
holds '.gaps.sessions[0].control_flow_us > 0'
# What ran within is in the total of who it ran in, and in nobody's own time.
holds '[.ops[] | select(.name == "/main/Loop" or .name == "/main/Scan"
    or .op_type == "If") | .contains_others and .self_us < .total_us]
    | length == 4 and all'

# Of the timelines that are kept: each operator run lies in its inference; on a
# thread those of one depth come one after the other, and those within another
# lie in it.
rows="(SELECT o.*, o.start_ns + o.kernel_ns AS end_ns, i.start_ns AS begins_ns,
    i.start_ns + i.duration_ns AS ends_ns FROM operator_runs o
    JOIN inferences i ON i.run = o.run AND i.number = o.inference)"
wrong() { # condition on a row a
    sqlite3 t.db "SELECT count(*) FROM $rows a WHERE $1"
}
same='b.run = a.run AND b.inference = a.inference AND b.thread = a.thread'
[ "$(wrong '1')" -ge $((43 * 6)) ] || fail "too few timelines are kept"
[ "$(wrong 'a.start_ns < a.begins_ns OR a.end_ns > a.ends_ns')" -eq 0 ] ||
    fail "an operator run outside its inference"
[ "$(wrong "EXISTS (SELECT 1 FROM $rows b WHERE $same AND b.depth = a.depth
    AND b.number <> a.number AND b.start_ns < a.end_ns
    AND b.end_ns > a.start_ns)")" -eq 0 ] || fail "operator runs overlap"
[ "$(wrong "a.depth > 0 AND NOT EXISTS (SELECT 1 FROM $rows b WHERE $same
    AND b.depth = a.depth - 1 AND b.start_ns <= a.start_ns
    AND b.end_ns >= a.end_ns)")" -eq 0 ] || fail "not within what it runs in"

# --- on many threads ------------------------------------------------------------

# 43 in each inference, whoever runs them: callers, or ONNX Runtime's threads.
crowd() { # library, inferences, crowd's arguments...
    local library=$1 all=$2
    shift 2
    "$programs/traced" -q "$hook" all "$programs/crowd" "$@" "$library" \
        "$models/flow.onnx" >out 2>err || fail "$*: $(cat err)"
    grep -q "^traced $all of $all, $((43 * all)) operator runs, 0 doubtful, .* 0 lost$" \
        out || fail "$*: $(tail -n 1 out)"
}
for library in "$ort" "$(ort_library ort-1.17)"; do
    crowd "$library" 101 run 1 4 25
    crowd "$library" 81 parallel 1 4 20
    crowd "$library" 61 async 1 1 60
    crowd "$library" 61 async-parallel 1 1 60
done
