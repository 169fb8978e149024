#!/bin/bash
# The same tables, statements and rows with today's ClickHouse, which knows
# codecs, LowCardinality and TTL: its engine, from npm.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

need_tool node
need_tool curl
[ -d "$npm/@chdb/lib-linux-x64-gnu" ] || skip "there is no chdb here"
unset ORTMETER_STORE ORTMETER_STORE_PASSWORD
export NO_PROXY=127.0.0.1 no_proxy=127.0.0.1

node "$here/chdb_server.cjs" "$npm" "$TMPDIR/engine" >port 2>server.err &
await test -s port
url=clickhouse://127.0.0.1:$(cat port)/m
ask() { # SQL
    curl -sSf "http://127.0.0.1:$(cat port)/" --data-binary "$1"
}

"$ortmeter" bench "$models/mlp.onnx" --count 300 --ops all --db t.db \
    --tag a --quiet 2>err || fail "bench: $(cat err)"
"$ortmeter" run --db t.db --tag b --tag c --quiet -- true 2>err ||
    fail "run: $(cat err)"
"$ortmeter" ship --db t.db --all --store "$url" 2>err || fail "$(cat err)"
"$ortmeter" ship --db t.db --again --store "$url" \
    "$(sqlite3 t.db 'SELECT run_id FROM profiling_runs WHERE id = 1')" \
    2>err || fail "$(cat err)"

# Kernels that were timed have no raw time, there as here.
sums='count(number), sum(number), sum(kernel_ns), count(raw_ns)'
there=$(ask "SELECT $sums FROM operator_runs FINAL")
here_sums=$(sqlite3 -separator "$(printf '\t')" t.db \
    "SELECT $sums FROM operator_runs")
[ "$there" = "$here_sums" ] || fail "$there there, $here_sums here"
[ "${there%%$'\t'*}" -gt 0 ] || fail "no operator runs were sent"

for id in $(sqlite3 t.db 'SELECT run_id FROM profiling_runs'); do
    "$ortmeter" report "$id" --json --db t.db >here.json
    "$ortmeter" report "$id" --json --store "$url" >there.json
    cmp here.json there.json || fail "the report of $id differs"
done
while read -ra options; do
    "$ortmeter" list --json --db t.db "${options[@]}" >here.json
    "$ortmeter" list --json --store "$url" "${options[@]}" >there.json
    cmp here.json there.json || fail "list ${options[*]} differs"
done <<'END'
-n 20
-n 1 --offset 1
--tag a
--tag b --tag c
--model MLP
--model nothing
--from 1d
--to 1d
--prompt it's
--experiment none
--sort duration
--sort duration --reverse
--metric inference_duration_p95_seconds
END

# It keeps them as we wish.
"$ortmeter" ship --db t.db --setup --retention 30 --store "$url" 2>err ||
    fail "$(cat err)"
for table in operator_runs operators rollups; do
    ask "SHOW CREATE TABLE $table"
done >made
for words in 'DoubleDelta, ZSTD' 'T64, ZSTD' 'Gorilla(8), ZSTD' \
    'LowCardinality(Nullable(String))' 'TTL run_day + toIntervalDay(30)'; do
    grep -qF "$words" made || fail "no $words in $(cat made)"
done

# What is changed there, by its mutations.
id=$(sqlite3 t.db 'SELECT run_id FROM profiling_runs WHERE id = 1')
"$ortmeter" tag "$id" "it's" --experiment x --store "$url" >out 2>err ||
    fail "tag: $(cat err)"
[ "$(ask "SELECT tags = 'a,it\\'s' AND experiment_name = 'x'
    FROM profiling_runs FINAL WHERE run_id = '$id'")" = 1 ] ||
    fail "it is not tagged"
"$ortmeter" delete "$id" --store "$url" >out 2>err || fail "delete: $(cat err)"
[ "$(ask 'SELECT count() FROM profiling_runs FINAL')" = 1 ] || fail "it is there"
[ "$(ask 'SELECT count() FROM operator_runs FINAL')" = 0 ] ||
    fail "its operators are there"
