#!/bin/bash
# Two runs beside each other: figures are those of the reports, more work is
# slower, and what is not there is said.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

recorded() { # how many samples in a batch
    "$ortmeter" bench "$models/mlp.onnx" --dim "batch=$1" --threads 1 --ops 10 \
        --count 400 --db t.db --json | jq -r .run.id
}
small=$(recorded 1)
large=$(recorded 64)

"$ortmeter" compare "$small" "$large" --db t.db --json >out
jq -e --arg a "$small" --arg b "$large" '.before == $a and .after == $b and
    .verdict == "slower" and .median_ratio_interval[0] > 1 and
    .not_alike == [] and (.operators | length) > 0 and
    (has("joules_per_inference") | not)' out >/dev/null ||
    fail "not what was to be seen: $(cat out)"
for pair in "before $small" "after $large"; do
    "$ortmeter" report "${pair#* }" --db t.db --json >run.json
    jq -e --arg side "${pair% *}" --slurpfile c out '
        def same($x): ($x[$side] - .) | fabs < 0.001;
        (.latency.median_us | same($c[0].median_us)) and
        (.latency.p99_us | same($c[0].p99_us)) and
        (.throughput.inferences_per_s | same($c[0].inferences_per_s)) and
        (.memory.peak_rss_bytes | same($c[0].peak_rss_bytes))' \
        run.json >/dev/null || fail "the report of ${pair% *} says otherwise"
done

# Back again it is faster; and the newest run is meant when none is named.
"$ortmeter" compare "$large" "$small" --db t.db | grep -q faster ||
    fail "not faster: $("$ortmeter" compare "$large" "$small" --db t.db)"
diff <("$ortmeter" compare "$small" --db t.db) \
    <("$ortmeter" compare "$small" "$large" --db t.db) || fail "not the last"

rc=0
"$ortmeter" compare --db t.db >out 2>err || rc=$?
refused 2 'which run'
rc=0
"$ortmeter" compare "$small" nosuch --db t.db >out 2>err || rc=$?
refused 1 nosuch
