#!/bin/bash
# One ClickHouse for many machines, with Debian's server: two shards, two hosts,
# a million operators that are there once each although a server is killed, and
# reports that are the same from there and from here.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=clickhouse_lib.sh
. "$(dirname "$0")/clickhouse_lib.sh"

per_host=500000 # operators
chain_ops=10000 # in one inference of chain.onnx

two_shards

# --- two hosts ---------------------------------------------------------------

# The same run, as another host would have made it: another machine, another
# id, of which we take one that belongs on the other shard.
shard() { # id
    ask a "SELECT cityHash64(toFixedString('$1', 36)) % 2"
}
# A profile has every operator run; of a run of ours only some are kept.
"$programs/profiled" "$ort" "$models/chain.onnx" $((per_host / chain_ops)) \
    own >plain.out
"$ortmeter" import own*.json --db one.db --tag fleet >out 2>err ||
    fail "import: $(cat err)"
rm own*.json
# It does not say which machine it is from; this one.
"$ortmeter" bench "$models/mlp.onnx" --warmup 0 --count 1 --db host.db --quiet \
    2>err || fail "bench: $(cat err)"
sqlite3 one.db "ATTACH 'host.db' AS host;
    INSERT INTO hosts SELECT * FROM host.hosts;
    UPDATE profiling_runs SET host_id = (SELECT id FROM hosts)"
cp one.db two.db
id_one=$(sqlite3 one.db 'SELECT run_id FROM profiling_runs')
for ((i = 0; i < 64; i++)); do
    id_two=$(printf '%08x%s' "$i" "${id_one:8}")
    [ "$(shard "$id_two")" = "$(shard "$id_one")" ] || break
done
sqlite3 two.db "UPDATE hosts SET info = json_set(info, '\$.hostname', 'two');
    UPDATE profiling_runs SET timestamp = timestamp + 1, run_id = '$id_two'"
for db in one.db two.db; do
    [ "$(sqlite3 $db 'SELECT count(*) FROM operator_runs')" -eq $per_host ] ||
        fail "$db has not $per_host operators"
done

# --- a server is killed while both are sending --------------------------------

"$ortmeter" ship --setup --store "$url_a" 2>err || fail "setup: $(cat err)"
"$ortmeter" ship --setup --store "$url_b" 2>err || fail "setup: $(cat err)"

ship() { # database, server's address
    "$ortmeter" ship --db "$1" --all --store "$2"
}
arrived() { # at least how many
    [ "$(ask a 'SELECT count() FROM operator_runs')" -ge "$1" ] 2>/dev/null
}

ship one.db "$url_a" 2>one.err &
first=$!
ship two.db "$url_a" 2>two.err &
second=$!
await arrived 100000
kill_server b
rc=0
wait $first || rc=$?
[ $rc -eq 1 ] || fail "sending to a shard that is away succeeded: $(cat one.err)"
rc=0
wait $second || rc=$?
[ $rc -eq 1 ] || fail "sending to a shard that is away succeeded: $(cat two.err)"
start_server b

ship one.db "$url_a" 2>one.err &
first=$!
ship two.db "$url_a" 2>two.err &
second=$!
await arrived 400000
kill_server a
! wait $first || fail "sending to nobody succeeded"
! wait $second || fail "sending to nobody succeeded"
grep -q 'is away' one.err || fail "not said: $(cat one.err)"
[ "$(grep -c . one.err)" -eq 2 ] || fail "more than a sentence: $(cat one.err)"
start_server a

ship one.db "$url_a" 2>one.err || fail "one: $(cat one.err)"
ship two.db "$url_a" 2>two.err || fail "two: $(cat two.err)"

# --- all are there, once ------------------------------------------------------

is_count() { # server, what, number
    local got
    got=$(ask "$1" "$2")
    [ "$got" = "$3" ] || fail "$2 is $got, not $3"
}
is_count a 'SELECT count() FROM operator_runs FINAL' $((2 * per_host))
is_count b 'SELECT count() FROM operator_runs FINAL' $((2 * per_host))
is_count a 'SELECT uniqExact(run_id, number) FROM operator_runs' \
    $((2 * per_host))
is_count a 'SELECT count() FROM profiling_runs FINAL' 2
is_count a 'SELECT count() FROM operator_runs_local FINAL' $per_host
is_count b 'SELECT count() FROM operator_runs_local FINAL' $per_host
sum_there=$(ask a 'SELECT sum(start_ns), sum(raw_ns), sum(kernel_ns)
    FROM operator_runs FINAL')
sum_here=$(sqlite3 -separator "$(printf '\t')" one.db "ATTACH 'two.db' AS two;
    SELECT sum(start_ns), sum(raw_ns), sum(kernel_ns) FROM
    (SELECT * FROM operator_runs UNION ALL SELECT * FROM two.operator_runs)")
[ "${sum_there//\\N/}" = "$sum_here" ] ||
    fail "the sums are $sum_there there, $sum_here here"

# --- the same figures from there, from either server ---------------------------

same_report() { # database, id, server's address
    "$ortmeter" report "$2" --json --db "$1" >here.json
    "$ortmeter" report "$2" --json --store "$3" >there.json
    cmp here.json there.json || fail "the report of $1 differs"
    "$ortmeter" report "$2" --db "$1" >here.txt
    "$ortmeter" report "${2:0:12}" --store "$3" >there.txt
    cmp here.txt there.txt || fail "the text of $1 differs"
}
same_report one.db "$id_one" "$url_b"
same_report two.db "$id_two" "$url_a"
[ "$(jq -r .run.host.hostname there.json)" = two ] || fail "the host is not told"
# Two hosts' runs side by side, each with the median of its own report.
"$ortmeter" compare "$id_one" "$id_two" --json --store "$url_a" >both.json
for side in before:one after:two; do
    "$ortmeter" report last --json --db "${side#*:}.db" |
        jq -e --slurpfile both both.json --arg side "${side%:*}" \
            '($both[0].median_us[$side] - .latency.median_us | fabs) < 0.001' \
            >/dev/null || fail "compare: another median of ${side#*:}"
done
jq -e '.not_alike | index("host")' both.json >/dev/null ||
    fail "compare does not see that these are two hosts: $(cat both.json)"
"$ortmeter" list --json --store "$url_b" >list.json
[ "$(jq -r '.runs[].run.id' list.json)" = "$id_two
$id_one" ] || fail "the list is $(cat list.json)"

# --- what is changed there: on the server that has the run ----------------------

if [ "$(ask a "SELECT count() FROM profiling_runs_local FINAL
    WHERE run_id = '$id_two'")" = 1 ]; then
    has=$url_a lacks=$url_b
else
    has=$url_b lacks=$url_a
fi
for change in "tag $id_two kept" "delete $id_two"; do
    rc=0
    # shellcheck disable=SC2086 # two words or three
    "$ortmeter" $change --store "$lacks" >out 2>err || rc=$?
    refused 1 'lies on another server of the cluster'
    # shellcheck disable=SC2086
    "$ortmeter" $change --store "$has" >out 2>err || fail "$change: $(cat err)"
    [ "$change" = "delete $id_two" ] ||
        is_count b "SELECT tags FROM profiling_runs FINAL
            WHERE run_id = '$id_two'" fleet,kept
done
is_count a 'SELECT count() FROM operator_runs FINAL' $per_host
is_count b 'SELECT count() FROM profiling_runs FINAL' 1
same_report one.db "$id_one" "$url_a"
