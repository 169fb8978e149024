#!/usr/bin/env bash
# energy.sh -- joules where something tells them, reasons where nothing does,
# and an estimate only for who asks.
# shellcheck source=tests/e2e/lib.sh
. "${SRC:-$PWD}/tests/e2e/lib.sh"

measure() { # options of run
    "$ortmeter" run --db t.db -o run.json "$@" -- \
        node "$SRC/demo/demo.mjs" >out 2>err
}

energy() { # options...
    rc=0
    "$ortmeter" energy --db t.db "$@" >out 2>err || rc=$?
}

stored() { # SQL: what the database itself holds
    sqlite3 t.db "$1"
}

need_tool node
need_tool sqlite3

# Whatever this machine has: a number with its method, or a reason for each
# source; never 0 J.
measure
status=$(jq -r .energy.status run.json)
case $status in
'no energy source')
    jq -e '.energy | del(.throttling) | keys == ["reasons", "status"]' \
        run.json >/dev/null ||
        fail "a figure without a source"
    jq -e '.energy.reasons | length > 3 and all(.reason | length > 5)' \
        run.json >/dev/null || fail "a source is missing without a reason"
    jq -e '[.. | objects | keys[] | select(test("joules|_j$|_mj$"))] == []' \
        run.json >/dev/null || fail "joules from nowhere"
    [ "$(stored 'SELECT count(*) FROM power_samples')" = 0 ] ||
        fail "power samples from nowhere"
    [ "$(stored 'SELECT count(total_energy_mj) FROM profiling_runs')" = 0 ] ||
        fail "the run's energy from nowhere"
    energy
    grep -q 'no energy source' out || fail "the text says something else"
    if grep -qE '\b0(\.0*)? m?J' out; then fail "0 J"; fi
    ;;
measured)
    jq -e '.energy.total_j > 0 and .energy.account.adds_up' run.json \
        >/dev/null || fail "measured, but not added up"
    ;;
*) fail "an estimate that nobody asked for: $status" ;;
esac

# The model: an estimate, called so everywhere, with its bounds.
if [ "$status" = 'no energy source' ]; then
    measure --energy model --ops 4
    jq -e '.energy | .status == "modelled" and .total_j > 0 and
        .bounds.low_j < .total_j and .bounds.high_j > .total_j and
        .account.adds_up and (.account | (.idle_j + (.other_processes_j // 0) +
        .unattributed_j + .attributed_j - .total_j) | fabs < 0.00001)' \
        run.json >/dev/null || fail "the model's account"
    jq -e '[.. | objects | (.method?, .joules_method?) | strings
        | select(. == "measured" or . == "apportioned")] == []' run.json \
        >/dev/null || fail "an estimate is called measured"
    jq -e '[.ops[] | select(.joules > 0)] | length > 5' run.json >/dev/null ||
        fail "operators have no joules"
    jq -e '.tokens.joules_per_token > 0' run.json >/dev/null ||
        fail "tokens have no joules"

    # What is kept beside the run says the same.
    [ "$(stored 'SELECT count(*) > 0 AND min(method) = 2 AND max(method) = 2
        FROM power_samples')" = 1 ] || fail "no modelled power samples"
    jq -e --argjson mj "$(stored 'SELECT total_energy_mj FROM profiling_runs
        ORDER BY id DESC LIMIT 1')" \
        '.energy.total_j * 1000 - $mj | fabs < 0.001' run.json >/dev/null ||
        fail "the database has another total than the report"

    # By layer and component, as the operators' names tell; by context length.
    energy --json
    jq -e '.parts | (.layers | length == 2 and all(.gross_j > 0)) and
        .components.q_proj.gross_j > 0 and .components.lm_head.count > 0 and
        ([.context[].tokens] | add) == 47 and
        ([.. | objects | .method? | strings] | unique == ["modelled"])' out \
        >/dev/null || fail "energy by layer, component and context"
    # The database has the same of each layer, with its label.
    jq -e --argjson mj "$(stored 'SELECT json_group_array(energy_mj)
        FROM layer_metrics WHERE energy_method = 2 AND token_id IS NULL')" \
        '[.parts.layers[].gross_j * 1000] as $j | ($mj | length) == 2 and
        ([$j, $mj] | transpose | all(.[0] - .[1] | fabs < 0.002))' out \
        >/dev/null || fail "the database has other layers than the account"
    [ "$(stored "SELECT count(DISTINCT layer_metric_id) FROM component_metrics
        WHERE energy_mj > 0 AND energy_method = 2 AND layer_metric_id IN
        (SELECT id FROM layer_metrics WHERE token_id IS NULL) AND component_name =
        (SELECT id FROM texts WHERE text = 'q_proj')")" = 2 ] ||
        fail "the database has no q_proj of each layer"
    # Operators that ran only in an inference left out as disturbed are in the
    # layers and not in the table of operators.
    jq -e --slurpfile run run.json '([.parts.layers[].gross_j] | add) -
        ([$run[0].ops[] | select(.layer and (.contains_others | not)) | .joules]
        | add) | fabs < 0.001' out >/dev/null ||
        fail "the layers are not the sum of their operators"
    # FLOPs of a model whose sizes are open: from what ran, and as many as the
    # file tells of each inference with its sizes.
    while IFS='|' read -r sequence past; do
        "$ortmeter" inspect --json "$models/decoder/model.onnx" \
            --dim batch_size=1 --dim sequence_length="$sequence" \
            --dim past_sequence_length="$past" \
            --dim total_sequence_length=$((sequence + past)) | jq .flops
    done < <(stored 'SELECT sequence, past FROM inferences
        WHERE run = (SELECT max(run) FROM inferences)') >flops.txt
    jq -e --slurpfile flops flops.txt '.flops.source == "operators that ran" and
        ($flops | length == 48) and .energy.flops_per_w > 0 and
        (.flops.per_inference / ($flops | add / length) - 1 | fabs < 0.02)' \
        out >/dev/null || fail "FLOPs of a model whose sizes are open"

    # By what each computed: what only moves data has none of it; the sum is the
    # same.  Cycles, if anybody counts them.
    mv out busy.json
    energy --json --by flops
    jq -e --slurpfile busy busy.json '.energy.account as $a |
        $a.shared_by == "flops" and $a.shared_by_known > 0.2 and $a.adds_up and
        $a.total_j == $busy[0].energy.account.total_j and
        .parts.components.q_proj.net_j > 0 and
        .parts.components.embedding.net_j == 0' out >/dev/null ||
        fail "energy by FLOPs"
    energy --json --by cycles
    [ "$rc" -eq 0 ] && jq -e '.energy.account.shared_by == "cycles"' out \
        >/dev/null || grep -q 'cycles: they were not counted in this run' err ||
        fail "energy by cycles"
    energy --by hand
    [ "$rc" -eq 2 ] || fail "--by hand exits with $rc"

    # With the machine's own watts the bounds are closer.  Without operators,
    # nobody knows the FLOPs.
    measure --energy model --idle-watts 10 --full-watts 50 --ops off
    energy --json
    jq -e '.flops.reason and (.energy | has("flops_per_w") | not)' out \
        >/dev/null || fail "FLOPs from nowhere"
    jq -e '.energy | .mean_w >= 10 and .mean_w <= 50 and
        (.bounds.high_j / .total_j | . > 1.19 and . < 1.21)' run.json \
        >/dev/null || fail "the calibrated model"
fi

# Switched off is a reason, too.
measure --energy off
[ "$(jq -r .energy.status run.json)" = 'no energy source' ] ||
    fail "off, and still there"
jq -e '.energy.reasons[0].reason | contains("--energy off")' run.json \
    >/dev/null || fail "off is not given as the reason"

# An external meter of 40 W, from a file that was written before: the whole
# account rests on it.
awk -v now="$(date +%s)" 'BEGIN {
    print "# seconds watts"
    for (i = 0; i < 6000; i++) printf "%d.%02d0 40\n", now + int(i / 20), i % 20 * 5
    print "not a line of a meter"
}' >meter.txt
measure --meter meter.txt
jq -e '.energy | .status == "measured" and (.mean_w - 40 | fabs < 0.01) and
    (.total_j / .covered_s - 40 | fabs < 0.01) and .components.meter > 0' \
    run.json >/dev/null || fail "the meter's 40 W"
jq -e '.energy.phases.decode.method == "apportioned"' run.json >/dev/null ||
    fail "milliseconds are not measured by a meter of 20 Hz"

jq -e '.energy.meter.clock == "as it is"' run.json >/dev/null ||
    fail "a steady load has set the meter's clock"

# What throughput costs: at 40 W, an inference draws these for as long as it
# takes, and a batch shares them.  The batches take turns.
"$ortmeter" bench --db t.db --ort "$ort" --meter meter.txt --batch 1,2,4 \
    --count 300 --warmup 5 -o run.json "$models/mlp.onnx" >out 2>err ||
    fail "bench --meter"
jq -e --argjson j "$(stored "SELECT json_group_array(j) FROM (SELECT
    40e-9 * avg(i.duration_ns) AS j FROM (SELECT run, start_ns, duration_ns,
        (row_number() OVER (ORDER BY number) - 1) % 3 AS turn
        FROM pipeline_sections JOIN texts t ON t.id = section_name
        WHERE t.text = 'bench: measured') s JOIN inferences i ON i.run = s.run
    AND i.start_ns BETWEEN s.start_ns AND s.start_ns + s.duration_ns
    GROUP BY turn ORDER BY turn)")" '[.bench.rows[] | .energy + {batch}] as $rows |
    ([$rows[].per_inference_j, $j[]] | length == 6) and
    ([$j, $rows] | transpose | all((.[1].per_inference_j / .[0] - 1 | fabs <
    0.01) and .[1].method == "apportioned" and (.[1] |
    (.per_sample_j * .batch / .per_inference_j - 1 | fabs < 1e-9) and
    (.samples_per_j * .per_sample_j - 1 | fabs < 1e-9))))' run.json \
    >/dev/null || fail "joules of each batch size"
"$ortmeter" bench --db t.db --ort "$ort" --meter meter.txt --batch 1,4 \
    --count 100 "$models/mlp.onnx" >out 2>err || fail "bench in words"
grep -q 'thriftiest' out || fail "no word on the thriftiest batch"
"$ortmeter" bench --db t.db --ort "$ort" --energy auto --count 100 \
    "$models/mlp.onnx" >out 2>err || fail "bench --energy auto"
[ "$status" = measured ] || grep -q 'no energy source' out ||
    fail "bench does not say that there is no energy source"

# The same from a meter whose clock is an hour behind, and a model whose file
# tells its FLOPs.
awk '/^#/ || NF != 2 { next } { printf "%.3f %s\n", $1 - 3600, $2 }' \
    meter.txt >behind.txt
"$ortmeter" run --db t.db --meter behind.txt --meter-offset 3600 -o run.json -- \
    node "$here/infer.cjs" "$npm/onnxruntime-node" "$models/convnet.onnx" 101 \
    input=float32:1x3x64x64 >out 2>err || fail "run --meter-offset"
jq -e '.energy | .status == "measured" and (.mean_w - 40 | fabs < 0.01) and
    .meter.clock == "set by hand"' run.json >/dev/null ||
    fail "a meter whose clock was set"
energy --json
"$ortmeter" inspect --json "$models/convnet.onnx" >inspect.json
jq -e --slurpfile model inspect.json '.flops.source == "model file" and
    .flops.per_inference == $model[0].flops and (.energy | .flops_per_w -
    .inferences_per_s_per_w * $model[0].flops | fabs < 1)' out >/dev/null ||
    fail "FLOPS for each watt, by the model's file"
energy
grep -q 'GFLOPS for each watt' out || fail "no GFLOPS in the text"
measure --meter behind.txt
jq -e '.energy.status == "no energy source"' run.json >/dev/null ||
    [ "$status" = measured ] || fail "a meter that tells of another time"
for wrong in '--meter-offset 1' '--meter meter.txt --meter-offset soon'; do
    rc=0
    # shellcheck disable=SC2086 # words
    "$ortmeter" run $wrong --db t.db -- true 2>err || rc=$?
    [ "$rc" -eq 2 ] || fail "$wrong exits with $rc"
    grep -q -e --meter-offset err || fail "$wrong is not named"
done
measure --meter meter.txt

# Carbon and cost, by hand: grams = J / 3.6e6 * g/kWh.
for region in FR:44.2 DE:342.1 US:383.6; do
    energy --json --region "${region%:*}" --price 0.25
    [ "$rc" -eq 0 ] || fail "energy exits with $rc"
    jq -e --argjson g "${region#*:}" '.energy |
        (.carbon.grams_co2e - .total_j / 3600000 * $g | fabs < 1e-9) and
        (.cost.amount - .total_j / 3600000 * 0.25 | fabs < 1e-9) and
        .carbon.year == 2024 and (.carbon.source | contains("Ember"))' out \
        >/dev/null || fail "carbon of $region"
done
energy --region Germny
[ "$rc" -eq 2 ] || fail "an unknown region exits with $rc"
grep -q "Germany (DE)" err || fail "near names are not told"

# Wrong usage.
rc=0
"$ortmeter" run --meter /nowhere/meter --db t.db -- true 2>err || rc=$?
[ "$rc" -eq 2 ] || fail "a meter that is not there exits with $rc"
grep -q /nowhere/meter err || fail "the meter's file is not named"
rc=0
"$ortmeter" run --energy maybe --db t.db -- true 2>err || rc=$?
[ "$rc" -eq 2 ] || fail "--energy maybe exits with $rc"

# Where there is no sensor, calibrate says so, for each.
rc=0
"$ortmeter" calibrate --most 1 --db t.db >out 2>err || rc=$?
if [ "$status" = 'no energy source' ]; then
    [ "$rc" -ne 0 ] || fail "calibrated without a sensor"
    grep -q 'no energy source' err || fail "calibrate does not say why"
fi
