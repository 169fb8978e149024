#!/bin/bash
# bench_loop.sh [MODEL...] -- whether `ortmeter bench` tells the truth: its
# percentiles against those of the plainest loop in C (bench/loop.c).
#
# The two take turns, so a slow minute of the machine slows both.  The ratio is
# the median over all turns; in brackets the middle half of them.  BUILD names
# another build directory, TURNS how often (15).
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath "${BUILD:-build}")
turns=${TURNS:-15}
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
    local i
    : >"$tmp/pairs"
    for ((i = 0; i < turns; i++)); do
        # Who comes first changes, too.
        if ((i % 2)); then
            loop "$1" >"$tmp/loop" && bench "$1" >"$tmp/bench"
        else
            bench "$1" >"$tmp/bench" && loop "$1" >"$tmp/loop"
        fi
        jq -c -n --slurpfile loop "$tmp/loop" --slurpfile bench "$tmp/bench" \
            '{loop: $loop[0], bench: $bench[0]}' >>"$tmp/pairs"
    done
    jq -r -s --arg name "$(basename "$1" .onnx)" '
        def at(q): sort | .[(length - 1) * q | round];
        def digits: . * 1000 | round / 1000;
        . as $pairs
        | [["p50", "p90", "p99"][] as $q
            | [$pairs[] | .bench[$q + "_us"] / .loop[$q + "_us"]]
            | "\($q) \(at(0.5) | digits) [\(at(0.25) | digits) " +
                "\(at(0.75) | digits)]"] as $ratios
        | ([$pairs[] | .bench.p50_us / .loop.p50_us] | at(0.5)) as $middle
        | "bench to a plain loop, \($name): \($ratios | join("  "))  " +
            "p50 within 0.97 to 1.03: " +
            (if $middle >= 0.97 and $middle <= 1.03 then "ok" else "FAIL" end)
    ' "$tmp/pairs"
}

for model in "$@"; do
    compare "$model"
done
