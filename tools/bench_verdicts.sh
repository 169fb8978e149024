#!/bin/bash
# bench_verdicts.sh -- how often verdicts are wrong, and what they cost: 1,000
# draws of each kind of noise; a model against itself, 20 times, and against
# itself without graph optimisation; a million inferences compared.
# ROUNDS=N and DURATION=S change how often and how long.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${BUILD:-build}")
rounds=${ROUNDS:-20}
duration=${DURATION:-30}
npm=$build/npm/node_modules
silero=$npm/@ricky0123/vad-web/dist/silero_vad_v5.onnx
export ORT_DISABLE_TELEMETRY=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

ninja -C "$build" --quiet ortmeter tests/analyse/test_verdict_noise \
    bench/compare_million
# 77: there are no recordings here, which it says.
"$build/tests/analyse/test_verdict_noise" 1000 || [ $? -eq 77 ] ||
    echo 'verdicts on noise: NO'

check() { # options...
    "$build/ortmeter" check "$silero" --duration "$duration" \
        --db "$tmp/check.db" --json "$@" 2>/dev/null >"$tmp/check.json" || true
    jq -r '"\(.verdict), \(.pairs | length) pairs, \(.seconds) s" +
        if .operators then ", \(.operators | map(select(.verdict == "worse")) |
            length) operators worse, most: " + (.operators[0] |
            "\(.op_type) \(.name) \(.change_us) us") else "" end' \
        "$tmp/check.json"
}

echo
for ((i = 1; i <= rounds; i++)); do
    echo "against itself: $(check --no-operators)"
done | tee "$tmp/same"
echo "wrong verdicts: $(grep -cE ': (better|worse),' "$tmp/same" || true) of" \
    "$rounds, at most 1"
echo "without optimisation: $(check --head-level disabled)"
echo
"$build/bench/compare_million" "$tmp"
