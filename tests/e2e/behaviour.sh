#!/bin/bash
# What commands say of runs that ended badly, of names that nobody has, and of
# files that are none.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

db=(--db t.db)

# A run that a signal ended is not complete; tags and exit are listed, and the
# total is all there are.
for i in 1 2 3; do
    meter "$programs/linked" "$models/mlp.onnx" "$i"
done
rc=0
"$ortmeter" run -q "${db[@]}" --tag nightly -- sh -c 'kill -KILL $$' \
    >out 2>err || rc=$?
[ "$rc" -eq 137 ] || fail "exit code $rc"
"$ortmeter" list "${db[@]}" -n 2 --json >run.json
is .total 4
# A percentile of two is none, in text, JSON, page and list alike.
"$ortmeter" report last~2 "${db[@]}" --json >two.json
jq -e '.latency | .count == 2 and has("p50_us") and
    (has("p90_us") or has("p95_us") or has("p99_us") | not)' two.json ||
    fail "percentiles of two: $(cat two.json)"
"$ortmeter" report last~2 "${db[@]}" >out
grep -qE '^  latency .*( +too few){4} ' out || fail "$(cat out)"
! grep -q 'p99 ' out || [ "$(grep -c 'p99 ' out)" -eq 1 ] || fail "$(cat out)"
"$ortmeter" list "${db[@]}" --metric inference_duration_p95_seconds --json |
    jq -e '.runs | all(has("metric") | not)' >/dev/null ||
    fail "list has a p95 of three at most"
is '.runs | length' 2
is '.runs[0].run.status' killed
"$ortmeter" list "${db[@]}" >out
grep -q 'killed .*SIG 9 .*\[nightly\]' out || fail "$(cat out)"
"$ortmeter" list "${db[@]}" --metric inference_duration_p95_seconds >out
head -1 out | grep -q inference_duration_p95_seconds || fail "$(cat out)"

# What is no file.
for name in "" :memory: file:x.db; do
    rc=0
    "$ortmeter" list --db "$name" >out 2>err || rc=$?
    [ "$rc" -ne 0 ] || fail "--db '$name' was taken"
    grep -q 'no file' err || fail "$(cat err)"
done
[ ! -e file:x.db ] || fail "a file was made"

# A name that nobody has.
"$ortmeter" watch --name no-such-program --duration 0.1 >out 2>err
grep -q "no process was named 'no-such-program'" err || fail "$(cat err)"

# A bench is recorded as it was typed; few values have no p99.9.
"$ortmeter" bench "$models/mlp.onnx" --count 60 "${db[@]}" >out
[ -s out ] || fail "it printed nothing"
"$ortmeter" report last "${db[@]}" --json >run.json
holds '.run.command | startswith("ortmeter bench") and
    (contains("--worker") | not)'
holds '.run.processes | all(.program | contains("worker") | not)'
holds '.latency | (has("p99_9_us") | not) and .p50_us == .median_us'
"$ortmeter" export last "${db[@]}" -f html -o page.html
! grep -qw nan page.html || fail "a figure is no number"
