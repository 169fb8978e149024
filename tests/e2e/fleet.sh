#!/bin/bash
# Recording with --store: nothing of it disturbs the program, whether the server
# is there, away, or does not want us; what waited is sent later.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=clickhouse_lib.sh
. "$(dirname "$0")/clickhouse_lib.sh"

two_shards
url=${url_a%\?*} # one server, without the cluster
runs_there() {
    ask a 'SELECT count() FROM profiling_runs FINAL' 2>/dev/null
}
record() { # options...
    rc=0
    "$ortmeter" run --db t.db --quiet "$@" -- "$programs/linked" \
        "$models/mlp.onnx" 100 >out 2>err || rc=$?
}
well() {
    [ "$rc" -eq 0 ] || fail "exit code $rc: $(cat err)"
    [ ! -s err ] || fail "said: $(cat err)"
}
same() { # run
    "$ortmeter" report "$1" --json --db t.db >here.json
    "$ortmeter" report "$1" --json --store "$url" >there.json
    cmp here.json there.json || fail "the report of $1 differs"
}

# --- the server is there ------------------------------------------------------

record --store "$url"
well
[ "$(runs_there)" = 1 ] || fail "the run is not there"
same last
"$ortmeter" list --json --db t.db >here.json
ORTMETER_STORE=$url "$ortmeter" list --json >there.json
cmp here.json there.json || fail "the list differs"

# --- it does not want us: one sentence, and the program's own exit code --------

plain "$programs/linked" "$models/mlp.onnx" 100
disturbed() { # a word that must be in the sentence
    refused 0 "$1"
    cmp plain.out out || fail "the program was disturbed"
}
ORTMETER_STORE_PASSWORD=wrong record --store "$url"
disturbed 'does not let the user'
record --store "${url%/m}/nowhere"
disturbed "no database 'nowhere'"
record --store "clickhouse://meter@127.0.0.1:$(free_ports 1)/m"
disturbed 'is away'
record --store "clickhouse://meter@127.0.0.1:${tcp_port[a]}/m" # speaks no HTTP
disturbed 'is away\|is no ClickHouse'
record --store 'http://127.0.0.1/m'
refused_usage() { # a word
    [ "$rc" -eq 2 ] || fail "exit code $rc, not 2"
    grep -q "$1" err || fail "nothing of '$1' in: $(cat err)"
}
refused_usage 'does not begin with clickhouse://'
! grep -q wrong err || fail "a password was told"
for reader in report list; do
    rc=0
    "$ortmeter" $reader --store "${url%/m}/nowhere" >out 2>err || rc=$?
    refused 1 "no database 'nowhere'"
    rc=0
    "$ortmeter" $reader --store 'clickhouse://127.0.0.1:1/m' >out 2>err || rc=$?
    refused 1 'is away'
done

# --- it is away, and the meter is killed: all is sent later --------------------

kill_server a
record --store "$url"
disturbed 'is away'
"$ortmeter" run --db t.db --store "$url" --quiet -- "$programs/ticker" \
    "$models/mlp.onnx" log stop >out 2>err &
meter=$!
enrolled() {
    [ "$(sqlite3 t.db 'SELECT count(*) FROM shipments JOIN profiling_runs
        ON id = run WHERE status = 0 AND EXISTS
        (SELECT 1 FROM inferences WHERE run = id)')" -eq 1 ]
}
await enrolled
kill -KILL $meter
wait $meter 2>/dev/null || true
touch stop # the program, which has gone on
start_server a
[ "$(runs_there)" = 1 ] || fail "something arrived too early"
record --store "$url" # also sends what waited
well
# The first, the one with the wrong password, the three of this chapter.
[ "$(runs_there)" = 5 ] || fail "$(runs_there) runs have arrived, not 5"
for id in $(sqlite3 t.db "SELECT run_id FROM shipments JOIN profiling_runs
    ON id = run WHERE destination LIKE '%:${http_port[a]}/m' AND arrived"); do
    same "$id"
done
ask a 'SELECT status FROM profiling_runs FINAL' >statuses
grep -qx 2 statuses || fail "the killed one is not marked as interrupted"

# The others were never meant for that server, until somebody says so.
"$ortmeter" ship --db t.db --all --store "$url" 2>err || fail "$(cat err)"
"$ortmeter" list --json --db t.db >here.json
"$ortmeter" list --json --store "$url" >there.json
cmp here.json there.json || fail "the list differs"

# --- what is changed there -----------------------------------------------------

id=$(sqlite3 t.db 'SELECT run_id FROM profiling_runs WHERE id = 1')
there() { # SQL of the run's own row
    ask a "SELECT $1 FROM profiling_runs FINAL WHERE run_id = '$id'"
}
"$ortmeter" tag "$id" "it's" 'b\c' --experiment 'x' --json --store "$url" \
    >tagged.json 2>err || fail "$(cat err)"
jq -e '.tags == ["it\u0027s", "b\\c"] and .experiment_name == "x"' tagged.json \
    >out || fail "tagged: $(cat tagged.json)"
[ "$(there "tags = 'it\\'s,b\\\\c'")" = 1 ] || fail "tags: $(there tags)"
"$ortmeter" list --store "$url" --tag "it's" --json |
    jq -e --arg id "$id" '[.runs[].run.id] == [$id]' >out ||
    fail "it is not found by its tag"
"$ortmeter" tag "$id" --remove "it's" --remove 'b\c' --experiment '' \
    --store "$url" >out 2>err || fail "$(cat err)"
[ "$(there 'isNull(tags) AND isNull(experiment_name)')" = 1 ] ||
    fail "tags stay: $(there tags)"
[ -z "$(sqlite3 t.db 'SELECT tags FROM profiling_runs WHERE id = 1')" ] ||
    fail "the run was tagged here, too"

# A variable alone changes nothing there.
ORTMETER_DB=t.db ORTMETER_STORE=$url "$ortmeter" tag "$id" mine >out 2>err ||
    fail "$(cat err)"
[ "$(sqlite3 t.db 'SELECT tags FROM profiling_runs WHERE id = 1')" = mine ] ||
    fail "the run is not tagged here"
[ "$(there 'isNull(tags)')" = 1 ] || fail "a variable has tagged it there"

rows_there() { # of that run, and of others
    for table in profiling_runs inferences sessions processes readings; do
        ask a "SELECT '$table', sum(run_id = '$id'), sum(run_id != '$id')
            FROM $table FINAL"
    done
}
rows_there >before
awk '$2 == 0' before | grep . && fail "the run has nothing there to delete"
"$ortmeter" delete "$id" --store "$url" --json >deleted.json 2>err ||
    fail "$(cat err)"
jq -e --arg id "$id" '.deleted == [$id]' deleted.json >out || fail "told wrong"
rows_there >after
cmp <(awk '{ print $1, 0, $3 }' before) <(awk '{ print $1, $2, $3 }' after) ||
    fail "more or less than the run has gone: $(cat after)"
rc=0
"$ortmeter" report "$id" --store "$url" 2>err || rc=$?
refused 1 "there is no run '$id'"
rc=0
"$ortmeter" delete "$id" --store "$url" 2>err || rc=$?
refused 1 "there is no run '$id'"
rc=0
"$ortmeter" delete "$id" --store "$url" --db t.db 2>err || rc=$?
refused 1 'give one'
"$ortmeter" ship --db t.db --store "$url" --again "$id" 2>err ||
    fail "$(cat err)"
same "$id"

# --- what is old goes ----------------------------------------------------------

sqlite3 t.db "UPDATE profiling_runs SET timestamp = 1500000000000000000
    WHERE id = 1"
"$ortmeter" ship --db t.db --store "$url" --again \
    "$(sqlite3 t.db 'SELECT run_id FROM profiling_runs WHERE id = 1')" \
    2>err || fail "$(cat err)"
old="SELECT count() FROM inferences FINAL WHERE run_day < '2018-01-01'"
[ "$(ask a "$old")" = 100 ] || fail "the old run has not arrived"
kept="SELECT count() FROM inferences FINAL WHERE run_day > '2018-01-01'"
before=$(ask a "$kept")
"$ortmeter" ship --db t.db --store "$url" --setup --retention 30 2>err ||
    fail "$(cat err)"
gone() {
    [ "$(ask a "$old")" = 0 ]
}
await gone
[ "$(ask a "$kept")" = "$before" ] || fail "more than what is old has gone"
