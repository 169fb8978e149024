#!/bin/bash
# bench_loop.sh [MODEL...] -- whether `ortmeter bench` tells the truth: its
# percentiles against those of the plainest loop in C (bench/loop.c).
#
# A turn is each of the two twice, one around the other: a machine that becomes
# slower or quicker meanwhile does so for both.  The ratio is the median over all
# turns; in brackets the middle half of them.  BUILD names another build
# directory, TURNS how often (25).
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath "${BUILD:-build}")
turns=${TURNS:-25}
export ORT_DISABLE_TELEMETRY=1
npm=$build/npm/node_modules
ort=$(find "$npm/onnxruntime-node/bin" -path '*linux/x64/libonnxruntime.so.1*')
if [ $# -eq 0 ]; then
    set -- "$npm/@ricky0123/vad-web/dist/silero_vad_v5.onnx" \
        "$build/models/convnet.onnx" "$build/models/decoder/model.onnx"
fi
[ -x "$build/bench/loop" ] || ninja -C "$build" --quiet bench

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

loop() { # model
    "$build/bench/loop" "$ort" "$1" 200 2000
}

bench() { # model
    "$build/ortmeter" bench "$1" --ort "$ort" --threads 1 --warmup 200 \
        --count 2000 --db "$tmp/t.db" --json | jq -c .latency
}

compare() { # model
    local i way ways=("loop bench bench loop" "bench loop loop bench")
    : >"$tmp/turns"
    for ((i = 0; i < turns; i++)); do
        : >"$tmp/loop"
        : >"$tmp/bench"
        for way in ${ways[i % 2]}; do
            "$way" "$1" >>"$tmp/$way"
        done
        jq -c -n --slurpfile loop "$tmp/loop" --slurpfile bench "$tmp/bench" \
            '{$loop, $bench}' >>"$tmp/turns"
    done
    jq -r -s --arg name "$(basename "$1" .onnx)" '
        def at(q): sort | .[(length - 1) * q | round];
        def digits: . * 1000 | round / 1000;
        def ratios($turns; $q): [$turns[]
            | (.bench | map(.[$q]) | add) / (.loop | map(.[$q]) | add)];
        . as $turns
        | [["p50", "p90", "p99"][] as $q
            | ratios($turns; $q + "_us")
            | "\($q) \(at(0.5) | digits) [\(at(0.25) | digits) " +
                "\(at(0.75) | digits)]"] as $ratios
        | (ratios($turns; "p50_us") | at(0.5)) as $middle
        | "bench to a plain loop, \($name): \($ratios | join("  "))  " +
            "p50 within 0.97 to 1.03: " +
            (if $middle >= 0.97 and $middle <= 1.03 then "ok" else "FAIL" end)
    ' "$tmp/turns"
}

for model in "$@"; do
    compare "$model"
done
