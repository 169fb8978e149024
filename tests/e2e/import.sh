#!/bin/bash
# Profiles of other tools become runs: counts and sums are those that jq and
# awk find in the same files; a file that is cut, packed or written anew loses
# nothing that is whole.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

need_tool jq
need_tool sqlite3
need_tool python3

import() { # file, options...
    rc=0
    "$ortmeter" import --db t.db --json "$@" >run.json 2>err || rc=$?
}

imported() { # file, options...
    import "$@"
    [ "$rc" -eq 0 ] || fail "$1 is not imported: $(cat err)"
    [ ! -s err ] || fail "it said: $(cat err)"
}

sql() { # query; :run is the imported run
    sqlite3 -separator $'\t' t.db "${1//:run/(SELECT id FROM profiling_runs
        WHERE run_id = \'$(field .run.id)\')}"
}

# What an operator's type took, from either side: type, times, microseconds.
ours() {
    sql "SELECT coalesce((SELECT text FROM texts WHERE id = o.op_type), ''),
            count(*), sum(r.raw_ns) / 1000
        FROM operator_runs r JOIN operators o ON o.run = r.run
            AND o.id = r.operator WHERE r.run = :run GROUP BY 1" | sort
}
theirs() { # profile, which is JSON
    jq -r '[.[] | select(.cat == "Node" and
            (.name | test("_fence_(before|after)$") | not))]
        | group_by(.args.op_name // "")[]
        | [.[0].args.op_name // "", length, (map(.dur) | add)] | @tsv' "$1" |
        sort
}

# Runs and loads, from either side: microseconds.
our_times() {
    sql "SELECT duration_ns / 1000 FROM inferences WHERE run = :run
        ORDER BY number"
    sql "SELECT (read_ns / 1000) || ' ' || (initialise_ns / 1000) FROM sessions
        WHERE run = :run AND initialise_ns NOT NULL"
}
their_times() { # profile
    jq -r '(map(select(.name == "model_run")) | sort_by(.ts)[].dur),
        ((map(select(.name | startswith("model_loading"))) | .[0].dur)
            as $read | map(select(.name == "session_initialization"))[]
            | "\($read) \(.dur)")' "$1"
}

# How many nodes lie in another one, by looking at every pair.
our_nested() {
    sql "SELECT count(*) FROM operator_runs WHERE run = :run AND depth > 0"
}
their_nested() { # profile
    jq '[.[] | select(.cat == "Node" and
            (.name | test("_fence_(before|after)$") | not))] as $nodes
        | [range($nodes | length) as $i | $nodes[$i] as $x
            | select(any(range($nodes | length); . != $i and ($nodes[.]
                | .tid == $x.tid and .ts <= $x.ts and .dur > $x.dur
                    and .ts + .dur > $x.ts
                    and .ts + .dur + 1 >= $x.ts + $x.dur)))] | length' "$1"
}

same() { # what, ours, theirs
    [ "$2" = "$3" ] || fail "$1: $(diff <(echo "$2") <(echo "$3"))"
}

# An imported file against a profile that is JSON.
agrees() { # file, profile
    imported "$1"
    is .format onnxruntime_profile
    is .bytes_cut 0
    is .events_broken 0
    is .events "$(jq '[.[] | select(.ph == "X")] | length' "$2")"
    is .node_events "$(jq '[.[] | select(.cat == "Node")] | length' "$2")"
    is .inferences "$(jq '[.[] | select(.name == "model_run")] | length' "$2")"
    same "op types of $1" "$(ours)" "$(theirs "$2")"
    same "times of $1" "$(our_times)" "$(their_times "$2")"
    same "nested nodes of $1" "$(our_nested)" "$(their_nested "$2")"
}

# --- what we make up: nothing is escaped, a Loop, another thread --------------

cat >made.json <<'END'
[
{"cat" : "Session","pid" :7,"tid" :1,"dur" :50,"ts" :5,"ph" : "X","name" :"model_loading_array","args" : {}},
{"cat" : "Session","pid" :7,"tid" :1,"dur" :40,"ts" :60,"ph" : "X","name" :"session_initialization","args" : {}},
{"cat" : "Node","pid" :7,"tid" :1,"dur" :20,"ts" :120,"ph" : "X","name" :"a"b\c_kernel_time","args" : {"op_name" : "Add","provider" : "CPUExecutionProvider","node_index" : "1"}},
{"cat" : "Node","pid" :7,"tid" :1,"dur" :11,"ts" :150,"ph" : "X","name" :"a"b\c_kernel_time","args" : {"node_index" : "1","op_name" : "Add","provider" : "CPUExecutionProvider"}},
{"cat" : "Node","pid" :7,"tid" :1,"dur" :50,"ts" :110,"ph" : "X","name" :"Loop_0_kernel_time","args" : {"op_name" : "Loop"}},
{"cat" : "Node","pid" :7,"tid" :2,"dur" :10,"ts" :120,"ph" : "X","name" :"two
lines_kernel_time","args" : {"op_name" : "Mul","input_type_shape" : [{"float":[1]}]}},
{"cat" : "Kernel","pid" :-1,"tid" :-1,"dur" :9,"ts" :-5,"ph" : "X","name" :"void gemm<1>()","args" : {"stream" : "1"}},
{"cat" : "Session","pid" :7,"tid" :1,"dur" :100,"ts" :100,"ph" : "X","name" :"model_run","args" : {}},
{"cat" : "Node","pid" :7,"tid" :1,"dur" :9,"ts" :300,"ph" : "X","name" :"late_kernel_time","args" : {"op_name" : "Sub"}}
]
END
imported made.json --tag a --tag b
is .events 9
is .inferences 1
is .operators 4
is .operator_runs 5
is .complete true
is '.run.tags | tostring' '["a","b"]'
is .run.duration_s 0.000304
is .run.note 'Operator runs whose inference is not in it: 1.'
same operators "$(sql "SELECT (SELECT text FROM texts WHERE id = name)
    FROM operators WHERE run = :run ORDER BY id")" \
    $'a"b\\c\nLoop_0\ntwo\nlines\nlate'
same runs "$(sql "SELECT inference, operator, depth, thread, start_ns, raw_ns
    FROM operator_runs WHERE run = :run ORDER BY number" | tr '\t' ' ')" \
    "0 4 0 1 295000 9000
1 1 1 1 115000 20000
1 1 1 1 145000 11000
1 2 0 1 105000 50000
1 3 0 2 115000 10000"
same loads "$(our_times)" $'100\n50 40'
"$ortmeter" report --db t.db >report.txt || fail "there is no report"
grep -q 'import made.json' report.txt || fail "the report is of another run"

"$ortmeter" import --db t.db made.json >out 2>err || fail "no text: $(cat err)"
grep -q '9 events: 1 inference, 4 operators that ran 5 times' out || fail "it says: $(cat out)"

# --- what is no profile ------------------------------------------------------

: >empty.json
echo '{"a": 1}' >other.json
echo '[{"a": 1}]' >list.json
head -c 100000 /dev/urandom >noise
before=$(sqlite3 t.db 'SELECT count(*) FROM profiling_runs')
for pair in empty.json:'is empty' other.json:neither noise:neither \
    list.json:'no event of ONNX' .:'directory' none.json:'No such file'; do
    import "${pair%%:*}"
    refused 1 "${pair#*:}"
done
import
refused 2 'no file'
import made.json --tag a,b
refused 2 comma
same "the number of runs" "$(sqlite3 t.db 'SELECT count(*) FROM
    profiling_runs')" "$before"

# --- recordings --------------------------------------------------------------

profiles=${DATA:-$SRC/../shared/data}/ort_profiles
[ -d "$profiles" ] || skip "the rest needs the recordings of $profiles"

count=0
for file in "$profiles"/*.json; do
    agrees "$file" "$file"
    is .complete true
    is .bytes_skipped 0
    count=$((count + 1))
done
[ "$count" -ge 10 ] || fail "only $count profiles in $profiles"

# A cut one: its inferences are missing, its operators are listed all the same,
# in JSON, text and page, with times that are not called an inference's.
listed() { # file, operators, a name
    imported "$1"
    "$ortmeter" report last --db t.db --json >run.json
    is '.ops | length' "$2"
    holds "[.ops[].name] | any(. == \"$3\")"
    holds '([.op_types[].count] | add) == ([.ops[].count] | add)'
    holds '(.latency.count // 0) == 0 and .gaps.sessions == []'
    "$ortmeter" report last --db t.db >text
    grep -q "$3" text || fail "the report does not name $3: $(cat text)"
    grep -qE '^  by type +share +total +runs' text || fail "whose time? $(cat text)"
    "$ortmeter" export last --db t.db -f html -o page.html
    grep -q "<td>$3</td>" page.html || fail "the page does not name $3"
}
listed "$profiles/dml-node-excerpt.json" 1 \
    /model/attn_mask_reformat/attn_mask_subgraph/Shape
# ONNX Runtime stops at a million events, and one that is killed stops anywhere.
jq -c 'map(select(.name != "model_run"))[]' "$profiles/ort1.30.0_mobilenet.json" \
    >no-runs.json
nodes=$(jq -s 'map(select(.cat == "Node") | .name
    | select(test("_fence_(before|after)$") | not)) | unique | length' no-runs.json)
listed no-runs.json "$nodes" "$(jq -sr 'map(select(.cat == "Node"
    and (.name | endswith("_kernel_time"))))[0].name
    | sub("_kernel_time$"; "")' no-runs.json)"

# A node is one operator whatever its shapes were, which have their own counts:
# so a growing cache makes no rows.
imported "$profiles/ort1.30.0_gpt2_past.json"
nodes=$(jq '[.[] | select(.cat == "Node" and (.name | endswith("_kernel_time")))
    | .name] | unique | length' "$profiles/ort1.30.0_gpt2_past.json")
is .operators "$nodes"
"$ortmeter" report last --db t.db --json >run.json
is '.ops | length' "$nodes"
holds '.ops | any(.shapes | length > 1)'
holds '.ops | all(.count == ([.shapes[].count] | add))'
is '[.op_types[].operators] | add' "$nodes"
same "bytes of all shapes" "$(field '[.ops[].shapes[] |
    .count * .output_bytes] | add')" "$(jq '[.[] | select(.cat == "Node" and
    (.name | endswith("_kernel_time"))) | .args.output_size | tonumber] | add' \
    "$profiles/ort1.30.0_gpt2_past.json")"
"$ortmeter" import --db t.db "$profiles/dml-no-args.json" >out
"$ortmeter" report last --db t.db >text
grep -q '^  a model that was not named' text || fail "which model? $(cat text)"

# Written anew, packed, or through a pipe.
file=$profiles/ort1.27.0_silero_v5.json
jq -c . "$file" >compact.json
jq . "$file" >pretty.json
jq -c '.[]' "$file" >lines.json
jq '{displayTimeUnit: "ms", traceEvents: .}' "$file" >trace.json
python3 -c 'import json, sys
json.dump(json.load(sys.stdin), sys.stdout)' <"$file" >python.json
gzip -c "$file" >packed.json.gz
for other in compact pretty lines trace python; do
    agrees "$other.json" "$file"
done
agrees packed.json.gz "$file"
imported - <"$file"
same stdin "$(ours)" "$(theirs "$file")"

# Cut: what is whole is there, as the lines that are whole JSON tell.
size=$(stat -c %s "$file")
for ((at = 1; at < size; at += size / 23)); do
    head -c "$at" "$file" >cut.json
    python3 - cut.json whole.json <<'END'
import json, sys
whole, end, at = [], 0, 0
for line in open(sys.argv[1], 'rb'):
    try:
        whole.append(json.loads(line.strip().rstrip(b',')))
        end = at + len(line)
    except ValueError:
        pass
    at += len(line)
whole = [w for w in whole if isinstance(w, dict)]
json.dump(whole, open(sys.argv[2], 'w'))
rest = open(sys.argv[1], 'rb').read()[end:].lstrip(b'[\n')
json.dump(len(rest), open(sys.argv[2] + '.rest', 'w'))
END
    imported cut.json
    is .complete false
    is .events "$(jq length whole.json)"
    is .bytes_cut "$(cat whole.json.rest)"
    same "op types, cut at $at" "$(ours)" "$(theirs whole.json)"
    field .run.note | grep -q '^The file ends' || fail "no note on the cut"
done
head -c $((size / 20)) packed.json.gz >cut.json.gz
imported cut.json.gz
is .complete false

# --- QNN ---------------------------------------------------------------------

imported "$profiles/qnn-htp-profile.csv"
is .format qnn_csv
is .events 55
is .inferences 1
same cycles "$(sql "SELECT count(*), sum(cycles) FROM operator_runs
    WHERE run = :run AND raw_ns IS NULL" | tr '\t' ' ')" \
    "$(awk -F , '$6 == "SUB-EVENT" && $7 ~ /OpId_/ { n++; sum += $3 }
        END { print n, sum }' "$profiles/qnn-htp-profile.csv")"
same "the execution" "$(our_times)" 2886757
same parts "$(sql "SELECT (SELECT text FROM texts WHERE id = section_name),
    duration_ns / 1000 FROM pipeline_sections WHERE run = :run
    ORDER BY 2 DESC LIMIT 1" | tr '\t' ' ')" 'RPC (execute) time 2795620'

# Long names do not push the times out of their column.
"$ortmeter" report last --db t.db >text
[ "$(grep -E '  in 1 section, ' text | sed 's/µ/u/; s/  in 1 section, .*//' |
    awk '{ print length($0) }' | sort -u | wc -l)" -eq 1 ] ||
    fail "times of sections are not below each other: $(cat text)"

cat >ort.csv <<'END'
Msg Timestamp,Message,Time,Unit of Measurement,Timing Source,Event Level,Event Identifier
UNKNOWN,FINALIZE,500,US,BACKEND,ROOT,NULL
UNKNOWN,EXECUTE,3100,US,BACKEND,ROOT,NULL
UNKNOWN,BACKEND,2800,US,BACKEND,SUB-EVENT,Accelerator (execute) time
UNKNOWN,NODE,6000,CYCLES,BACKEND,SUB-EVENT,MatMul_0
UNKNOWN,NODE,3000,CYCLES,BACKEND,SUB-EVENT,Softmax_0
UNKNOWN,EXECUTE,2900,US,BACKEND,ROOT,NULL
UNKNOWN,NODE,5000,CYCLES,BACKEND,SUB-EVENT,MatMul_0
END
imported ort.csv
is .inferences 2
is .operators 2
is .operator_runs 3
same executions "$(our_times)" $'3100\n2900'
same "operators and their inferences" "$(sql "SELECT inference, operator, cycles
    FROM operator_runs WHERE run = :run ORDER BY number" | tr '\t' ' ')" \
    $'1 1 6000\n1 2 3000\n2 1 5000'

# --- what comes first -----------------------------------------------------------

# Of many sessions, each begins with its initialisation: none was read before.
jq -n '[range(40) | {cat: "Session", pid: (. + 1), tid: 1, ph: "X", args: {}}
    | .ts = .pid * 1000, .ts = .pid * 1000 + 500
    | .name = if .ts % 1000 == 0 then "session_initialization"
        else "model_run" end | .dur = 300]' >begins.json
imported begins.json
is .inferences 40
