#!/bin/bash
# Traces of Windows' event tracing: what Microsoft's own reader prints of real
# ones, what ONNX Runtime reports in a made one, and what others read of ours.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

need_tool jq
need_tool python3

maker=$programs/etw_maker

etw() { # arguments...
    "$ortmeter" etw "$@" 2>err || fail "etw $* failed: $(cat err)"
}

# --- real traces -------------------------------------------------------------

if [ -n "${DATA:-}" ]; then
    for name in net.4.5.2.x64 primitive-types; do
        etw dump "$DATA/etw/$name.etl" -o "$name.jsonl"
        python3 "$here/etw_baseline.py" "$name.jsonl" \
            "$DATA/etw/$name.traceevent-baseline.txt" ||
            fail "$name is not what TraceEvent reads"
    done
    for file in "$DATA"/etw/*.etl; do
        etw info "$file" --json >info.json
        jq -e --arg name "${file##*/}" --slurpfile want \
            "$DATA/etw/expected-counts.json" '$want[0][$name] as $x |
            .buffers == $x.buffers and .records == $x.records and
            .counts == $x.counts and .complete' info.json >/dev/null ||
            fail "${file##*/} has other counts"
    done

    # Every sample that was not idle: as many as TraceEvent counts.  Most stacks
    # are kept by keys, which are used again.
    etw convert "$DATA/etw/net.4.5.2.x64.etl" -f folded -o stacks.txt
    grep -q '6318 of 6320 events have a stack; of 0 only' err ||
        fail "other stacks: $(cat err)"
    [ "$(awk '{ sum += $NF } END { print sum }' stacks.txt)" -eq 6320 ] ||
        fail "the lines do not add up"
    grep -q '^svchost.exe (944);ntdll.dll+0x1c3f1;kernel32.dll+0x167e;' \
        stacks.txt || fail "frames have no names"
fi

# --- ONNX Runtime's events ---------------------------------------------------

"$maker" ort made.etl
"$ortmeter" import --db t.db --json made.etl >run.json 2>err ||
    fail "it is not imported: $(cat err)"
[ "$(jq '[.inferences, .sessions, .operator_runs] | @csv' run.json)" = \
    '"58,2,1"' ] || fail "not 29 pairs on two threads: $(cat run.json)"
id=$(jq -r .run.id run.json)
"$ortmeter" report --db t.db --json "$id" >report.json
jq -e '.latency.count == 58 and .latency.failed == 1 and
    (.sessions | map(.model_path) | sort) == ["det.onnx", "silero.onnx"] and
    .sections[0].name == "graph_0 execute"' report.json >/dev/null ||
    fail "the report is another: $(jq -c '.latency, .sessions' report.json)"
jq -r .run.note report.json | grep -q '^1 inference has no end in the trace and is left out' ||
    fail "the unpaired start is not told"
! grep -rq geheim run.json report.json || fail "a secret is shown"
"$ortmeter" export --db t.db -f csv --table subjects "$id" >subjects.csv
grep -q -- '--token \*\*\*' subjects.csv || fail "no command line"
"$ortmeter" export --db t.db -f csv --table readings "$id" >readings.csv
grep -q 'process_cpu_seconds_total,0.02,measured' readings.csv ||
    fail "20 ms of CPU time are not measured: $(cat readings.csv)"
for format in json chrome perfetto html otlp; do
    "$ortmeter" export --db t.db --quiet -f "$format" -o "x.$format" "$id" ||
        fail "export -f $format"
done

# --- filters and formats -----------------------------------------------------

[ "$(etw dump made.etl --event 'Evaluation*' | wc -l)" -eq 117 ] ||
    fail "not all evaluations"
[ "$(etw dump made.etl --provider ONNXRuntimeTraceLoggingProvider |
    jq -r .fields.message)" = 'Some nodes fell back to the CPU' ] ||
    fail "the message is another"
[ "$(etw dump made.etl --from 0.04 --event EvaluationStart | wc -l)" -eq 1 ] ||
    fail "not one start after 40 ms"
[ "$(etw dump made.etl --pid 4243 | wc -l)" -eq 0 ] || fail "another's events"
etw convert made.etl -f csv -o made.csv
[ "$(head -n 1 made.csv | cut -d, -f1-4)" = time_ns,time,provider,event ] ||
    fail "the columns are others"
etw convert made.etl -f chrome | jq -e \
    '[.traceEvents[] | select(.ph == "X" and .name == "inference")] |
    length == 58' >/dev/null || fail "no inferences in chrome's form"
etw convert made.etl -f parquet -o made.parquet
[ "$(head -c 4 made.parquet)" = PAR1 ] || fail "that is no parquet"
etw stats made.etl --json | jq -e '.onnxruntime.unpaired_starts == 1 and
    .onnxruntime.sessions == 2 and .onnxruntime.qnn_events == 2 and
    .onnxruntime.inferences == 58 and .onnxruntime.messages == 1 and
    .processes[0].cpu.ns == 20000000 and
    .processes[0].cpu.method == "measured" and
    .processes[0].inferences.count == 58' >/dev/null || fail "other stats"

# --- cut and damaged ---------------------------------------------------------

head -c 150000 made.etl >cut.etl
etw info cut.etl --json | jq -e '.buffers == 2 and .bytes_cut == 18928 and
    (.complete | not)' >/dev/null || fail "not two whole buffers"
etw dump cut.etl >/dev/null
[ "$(grep -c 'is cut' err)" -eq 1 ] || fail "not one sentence: $(cat err)"
"$ortmeter" import --db t.db --json cut.etl | jq -e '.complete | not' \
    >/dev/null || fail "a cut trace is not imported"
echo nonsense >bad.etl
! "$ortmeter" etw info bad.etl 2>err || fail "nonsense is read"
grep -q 'bad.etl is not an ETW trace' err || fail "it said $(cat err)"

# --- there and back ----------------------------------------------------------

"$ortmeter" export --db t.db --quiet -f etl -o back.etl "$id"
etw info back.etl --json | jq -e '.complete and
    .buffers == .buffers_written' >/dev/null || fail "the header is wrong"
"$ortmeter" import --db t.db --json back.etl >again.json
again=$(jq -r .run.id again.json)
for run in "$id" "$again"; do
    "$ortmeter" export --db t.db -f csv --table inferences "$run" |
        cut -d, -f3-9 | sort >"inferences.$run"
    "$ortmeter" report --db t.db --json "$run" |
        jq -S '.latency, [.sessions[] | [.model, .load_ms]], .errors' \
            >"report.$run"
done
cmp "report.$id" "report.$again" || fail "the run came back as another"

"$ortmeter" compare --db t.db "$id" "$again" >/dev/null || fail "compare"

# --- on Linux there is nothing to record ------------------------------------

! "$ortmeter" etw record -o no.jsonl 2>err || fail "it records"
grep -q 'only on Windows' err || fail "it said $(cat err)"
[ "$(wc -l <err)" -eq 1 ] || fail "more than a sentence: $(cat err)"
[ ! -e no.jsonl ] || fail "it left a file"
for wrong in 'record --flags NOTHING' 'record made.etl' \
    'info made.etl --duration 1'; do
    # shellcheck disable=SC2086 # several words
    "$ortmeter" etw $wrong 2>err && fail "$wrong is taken"
    [ $? -eq 2 ] || fail "$wrong is not wrong usage: $(cat err)"
done
[ -n "${DATA:-}" ] || skip "no recordings: only made traces were read"
