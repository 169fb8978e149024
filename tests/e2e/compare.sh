#!/bin/bash
# Two runs beside each other: figures are those of the reports, what is not
# alike comes first, and other work is not called slower.
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
    .verdict == "refused" and (.because | contains("not the same work")) and
    (has("median_ratio_interval") | not) and
    .not_alike == ["batch"] and
    (.differs | map(select(.what == "batch"))) ==
        [{what: "batch", before: "1", after: "64"}] and
    (.median_us | has("ratio") | not) and
    .mean_us_per_sample.ratio < 1 and (.operators | length) > 0 and
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

# Said first, in text as well, and nothing is called slower or faster.
"$ortmeter" compare "$large" "$small" --db t.db >text
sed -n 2p text | grep -q 'verdict *refused' || fail "$(cat text)"
grep -q 'not alike *batch: 64, then 1' text || fail "$(cat text)"
! grep -qE 'slower|faster' text || fail "judged: $(cat text)"

# Twice the same: a difference with its spread, which two runs cannot tell.
again=$(recorded 64)
"$ortmeter" compare "$large" "$again" --db t.db --json |
    jq -e '.not_alike == [] and .verdict == "cannot_tell" and
        (.advice | contains("ortmeter check")) and
        .median_us.ratio > 0 and (.median_ratio_interval | length) == 2' \
        >/dev/null || fail "not compared"
"$ortmeter" delete "$again" --db t.db >/dev/null

# One median, and one p99: of the same inferences, all say the same, to the
# last digit that is shown.
for _ in 1 2; do
    "$ortmeter" bench "$models/mlp.onnx" --threads 1 --ops off --count 400 \
        --db one.db -q
done
"$ortmeter" compare last~1 last --db one.db --json >out
for side in before after; do
    name=$([ $side = before ] && echo last~1 || echo last)
    "$ortmeter" report "$name" --db one.db --json >run.json
    jq -e --arg side $side --slurpfile c out '
        def alike($a): . as $b | ($a - $b | fabs) < 0.0006;
        def figure($name): $c[0].figures[] | select(.name == $name)[$side];
        (figure("p50") | alike($c[0].median_us[$side])) and
        (figure("p95") | alike($c[0].p95_us[$side])) and
        (figure("p99") | alike($c[0].p99_us[$side])) and
        ($c[0].runs | .warmup_left_out == 0 and
            (.[$side][0].p50_us | alike($c[0].median_us[$side]))) and
        (.latency | (.median_us | alike($c[0].median_us[$side])) and
            (.p50_us == .median_us) and (.p99_us | alike($c[0].p99_us[$side])))
        ' run.json >/dev/null || fail "two medians: $(jq -c .figures out)"
    # A median between two inferences has half a nanosecond, which is rounded.
    "$ortmeter" list --db one.db --json \
        --metric inference_duration_median_seconds | jq -e --slurpfile r \
        run.json '.runs[] | select(.run.id == $r[0].run.id) |
        (.metric.value * 1e6 - $r[0].latency.median_us | fabs) < 0.0006' \
        >/dev/null || fail "list has another median"
done

# The newest run is meant when none is named.
diff <("$ortmeter" compare "$small" --db t.db) \
    <("$ortmeter" compare "$small" "$large" --db t.db) || fail "not the last"

rc=0
"$ortmeter" compare --db t.db >out 2>err || rc=$?
refused 2 'which run'
rc=0
"$ortmeter" compare "$small" nosuch --db t.db >out 2>err || rc=$?
refused 1 nosuch

# A run and itself; runs by how long ago, and by tags.
rc=0
"$ortmeter" compare "$small" "$small" --db t.db >out 2>err || rc=$?
refused 1 'one run'
[ "$("$ortmeter" compare last~1 last --db t.db --json | jq -r .before)" = \
    "$small" ] || fail "last~1 is not the one before"
"$ortmeter" tag "$small" v1 --db t.db >/dev/null
"$ortmeter" tag "$large" v2 --db t.db >/dev/null
[ "$("$ortmeter" compare v1 v2 --db t.db --json | jq -r .before,.after)" = \
    "$small"$'\n'"$large" ] || fail "tags do not name runs"
rc=0
"$ortmeter" compare last~7 last --db t.db >out 2>err || rc=$?
refused 1 'last~7'

# Several runs a side, by tags; 64 samples in place of one are found.
for i in 1 2 3 4 5 6 7 8; do
    for side in old new more; do
        batch=$([ $side = more ] && echo 64 || echo 1)
        "$ortmeter" bench "$models/mlp.onnx" --dim "batch=$batch" --threads 1 \
            --ops 10 --count 200 --db s.db --tag $side --quiet
    done
done
"$ortmeter" compare old new --db s.db --json >out
jq -e '.verdict != "refused" and .runs.in_turns and
    ([.runs.before, .runs.after] | map(length) == [8, 8]) and
    .not_alike == [] and (.latency.shift_us | length) == 9 and
    (.latency.before | length) > 4 and
    ([.operators[].change_us, .change_us.rest] | add * 1000 | round) ==
        (.change_us.whole * 1000 | round)' out >/dev/null || fail "$(cat out)"
"$ortmeter" compare old more --db s.db --json | jq -e '.verdict == "refused" and
    .not_alike == ["batch"]' >/dev/null || fail "batches compared"
"$ortmeter" compare old more --db s.db --anyway --least 5% --json >out
jq -e '.verdict == "worse" and .least == 0.05' out >/dev/null ||
    fail "64 samples are not slower than one: $(jq -c .figures out)"

# The same runs as a list, and as files, which need no database.
ids() { # tag
    "$ortmeter" list --db s.db --tag "$1" --limit 100 --json | jq -r '.runs[].run.id'
}
for side in old new; do
    for id in $(ids $side); do
        "$ortmeter" export "$id" -f json -o "$side-$id.json" --db s.db --quiet
    done
done
list() { # words...
    local IFS=,
    echo "$*"
}
figures() { # before, after, options...
    "$ortmeter" compare "$@" --json | jq -e '.figures | map({name, change, interval})'
}
figures old new --db s.db >by-tag
# shellcheck disable=SC2046
diff by-tag <(figures "$(list $(ids old))" "$(list $(ids new))" --db s.db) || fail "not as a list"
diff by-tag <(figures "$(list old-*.json)" "$(list new-*.json)" --db nosuch.db) || fail "not as files"
[ ! -e nosuch.db ] || fail "a database was made for nothing"
# However a busy machine shook them: runs and their copies are never better or
# worse, in any figure.
for file in old-*.json; do
    jq '.run.run_id |= (if startswith("0") then "1" else "0" end) + .[1:]' "$file" >"copy-${file#old-}"
done
"$ortmeter" compare "$(list old-*.json)" "$(list copy-*.json)" --json >out
jq -e '([.runs.before, .runs.after] | map(length) == [8, 8]) and
    (.verdict == "same" or .verdict == "cannot_tell") and
    ([.figures[] | .change == 0 and
        (.verdict == "same" or .verdict == "cannot_tell")] | all) and
    ([.operators[].verdict] | all(. != "better" and . != "worse"))' out \
    >/dev/null || fail "runs and their copies differ: $(cat out)"
# The copies of another host: it says why it will not judge, and what would.
for file in copy-*.json; do
    jq '.run.host.hostname = "elsewhere"' "$file" >"$file.new"
    mv "$file.new" "$file"
done
"$ortmeter" compare "$(list old-*.json)" "$(list copy-*.json)" --json >out
jq -e '.verdict == "refused" and (.because | contains("different hosts")) and
    (.because | contains("--anyway")) and .not_alike == ["host"] and
    all(.figures[]; .verdict == "refused")' out >/dev/null || fail "$(cat out)"
"$ortmeter" compare "$(list old-*.json)" "$(list copy-*.json)" --anyway --json |
    jq -e '.verdict == "same" or .verdict == "cannot_tell"' >/dev/null ||
    fail "not judged all the same"
rc=0
"$ortmeter" compare "$(list old-*.json),nosuch.json" new --db s.db >out 2>err || rc=$?
refused 1 nosuch.json

# Baselines: names for runs.
"$ortmeter" baseline set main old --db s.db
# The report of a run of the same program says what became of it.
run=$(ids new | head -n 1)
"$ortmeter" report "$run" --db s.db --json |
    jq -e '.baseline | .name == "main" and .verdict == "cannot_tell" and
        (.runs.before | length) == 8 and (.runs.after | length) == 1 and
        (.advice | contains("ortmeter check"))' >/dev/null ||
    fail "the report does not know the baseline"
"$ortmeter" report "$run" --db s.db | grep 'against the baseline main' >/dev/null ||
    fail "the report says nothing of the baseline"
"$ortmeter" report "$(ids more | head -n 1)" --db s.db --json |
    jq -e 'has("baseline") | not' >/dev/null || fail "a baseline of another program"
"$ortmeter" report "$(ids old | head -n 1)" --db s.db --json |
    jq -e 'has("baseline") | not' >/dev/null || fail "a baseline of itself"
"$ortmeter" baseline list --db s.db --json |
    jq -e '.baselines | length == 1 and .[0].name == "main" and
        (.[0].runs | length) == 8' >/dev/null || fail "no such baseline"
diff <("$ortmeter" compare main new --db s.db --json | jq .runs) \
    <("$ortmeter" compare old new --db s.db --json | jq .runs) || fail "not old"
rc=0
"$ortmeter" compare main old --db s.db >out 2>err || rc=$?
refused 1 'nothing to compare'
"$ortmeter" baseline delete main --db s.db
rc=0
"$ortmeter" baseline delete main --db s.db >out 2>err || rc=$?
refused 1 "no baseline 'main'"
rc=0
"$ortmeter" baseline set last old --db s.db >out 2>err || rc=$?
refused 2 "'last'"
rc=0
"$ortmeter" compare old new --least much --db s.db >out 2>err || rc=$?
refused 2 '--least'
