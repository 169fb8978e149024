#!/bin/bash
# Two benchmarks of several batches beside each other.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Two sweeps, point by point: the figures are those of each report, and nothing
# is of all batches together.
swept() { # batches, options of bench...
    "$ortmeter" bench "$models/mlp.onnx" --batch "$1" --threads 1 --count 64 \
        --db sweeps.db --json "${@:2}" | jq -r .run.id
}
few=$(swept 1,4)
more=$(swept 1,4,16)
"$ortmeter" compare "$few" "$more" --db sweeps.db --json >out
for pair in "before $few" "after $more"; do
    "$ortmeter" report "${pair#* }" --db sweeps.db --json >run.json
    holds '(has("throughput") or (.latency | has("p50_us"))) | not'
    holds '[.sessions[].batch // empty] | length > 0 and all(.min == .max)'
    jq -e --arg side "${pair% *}" --slurpfile c out '
        [.sweep[] | . as $x | $c[0].sweep[] | select(.batch == $x.batch)
            | (.median_us[$side] - $x.p50_us | fabs < 0.001) and
              (.samples_per_s[$side] - $x.samples_per_s | fabs < 0.001)]
        | length == '"$([ "${pair% *}" = before ] && echo 2 || echo 3)"' and all' \
        run.json >/dev/null || fail "the report of ${pair% *} says otherwise"
done
jq -e '[.sweep[].batch] == [1, 4, 16] and .not_alike[0] == "batch" and
    (has("inferences_per_s") or has("median_us") | not) and
    (.sweep[0, 1] | .median_us.ratio > 0 and (.median_ratio_interval | length) == 2)
    and (.sweep[2].median_us | has("before") or has("ratio") | not) and
    ([.figures[].name] - ["peak_rss"] == []) and (has("latency") | not) and
    (.runs | .before + .after | all(has("p50_us") or has("inferences") | not)) and
    .operators == [] and (.operators_not_compared | contains("sweep"))' out \
    >/dev/null || fail "not point by point: $(cat out)"
"$ortmeter" compare "$few" "$more" --db sweeps.db >text
grep -qE '^  4 .*%.*within these two' text || fail "no line of batch 4: $(cat text)"
! grep -q 'inf/s' text || fail "batches were pooled: $(cat text)"

# Nor where one of two is a sweep: the other keeps its figures.
one=$(swept 4)
"$ortmeter" compare "$one" "$more" --db sweeps.db --json |
    jq -e '.verdict == "refused" and (.because | contains("several batch")) and
        (.figures | map(select(.name == "p50")) |
            length == 1 and (.[0] | .before > 0 and (has("after") | not)))' \
    >/dev/null || fail "a sweep beside one batch is pooled"
"$ortmeter" list --db sweeps.db --metric inferences_per_second --json |
    jq -e --arg one "$one" '.runs |
        all(has("metric") == (.run.id == $one))' >/dev/null ||
    fail "list has a rate of several batches"
