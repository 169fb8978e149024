#!/bin/bash
# Perfetto's own format, read by another's decoder with the official numbers:
# strictly nested, and the same events as the Chrome trace, which chrome.sh
# compares with the database.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

need_tool sqlite3
[ -d "$npm/protobufjs" ] || skip "there is no protobufjs: tools/deps.sh test"
export NPM=$npm

traced() { # what must be there
    local got
    "$ortmeter" export --db t.db -f perfetto -o t.perfetto-trace 2>err ||
        fail "there is no trace: $(cat err)"
    "$ortmeter" export --db t.db -f chrome -o trace.json 2>err ||
        fail "there is no Chrome trace: $(cat err)"
    got=$(node "$here/perfetto.cjs" t.perfetto-trace trace.json 2>err) ||
        fail "the traces differ"
    [ "$got" = "$1" ] || fail "$got, not $1"
}

export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$BUILD
meter_options=(--ops all)
meter "$programs/sections" "$models/mlp.onnx" 53
[ "$rc" -eq 0 ] || fail "the program failed"
counts=$(sqlite3 t.db "SELECT
    ((SELECT count(*) FROM inferences) +
    (SELECT count(*) + count(read_ns) FROM sessions) +
    (SELECT count(*) FROM operator_runs) +
    (SELECT count(*) FROM pipeline_sections)) || ' slices, ' ||
    ((SELECT count(*) FROM events WHERE kind = 0) +
    (SELECT count(*) FROM tokens)) || ' instants, ' ||
    (SELECT count(*) FROM readings) || ' values'")
[[ $counts != *' 0 values' ]] || fail "nothing was sampled: $counts"
traced "$counts"
# A sensor that says, for a millisecond, that the machine is held back: on both
# timelines, and nothing else changes.
sqlite3 t.db "INSERT OR IGNORE INTO metrics (name)
        VALUES ('device_throttled_ratio');
    INSERT INTO readings SELECT run, number + 1, 2000000, 0, m.id, 1, 0
        FROM (SELECT run, max(number) AS number FROM readings), metrics m
        WHERE m.name = 'device_throttled_ratio';
    INSERT INTO readings SELECT run, number + 1, 3000000, 0, metric, 0, 0
        FROM (SELECT run, max(number) AS number, metric FROM readings)"
counts=$(awk '{ $1 += 1; $5 += 2; print }' <<<"$counts")
traced "$counts"
grep -q '"name":"held back".*"ts":2000,"dur":1000' trace.json ||
    fail "the timeline does not show that it was held back"
"$ortmeter" export --db t.db -f perfetto -z -o packed
cmp <(gzip -dc packed) t.perfetto-trace || fail "packed, it is another"

meter "$programs/async" "$models/mlp.onnx" 29
[ "$rc" -eq 0 ] || fail "the asynchronous program failed"
[ "$("$ortmeter" export --db t.db -f chrome | grep -c '"name":"mlp","cat":"Session"')" -eq 29 ] ||
    fail "not 29 runs"
trace=$("$ortmeter" export --db t.db -f chrome)
traced "$(grep -c '"ph":"X"' <<<"$trace") slices, 0 instants, $(
    grep -c '"ph":"C"' <<<"$trace") values"

# Names that are no UTF-8, and a sample that is no number.
cat >made.json <<'END'
[
{"cat" : "Node","pid" :0,"tid" :1,"dur" :0,"ts" :110,"ph" : "X","name" :"a"b\c_kernel_time","args" : {"op_name" : "Add"}},
{"cat" : "Node","pid" :0,"tid" :1,"dur" :5,"ts" :156,"ph" : "X","name" :"c_kernel_time","args" : {"op_name" : "Add"}},
{"cat" : "Session","pid" :0,"tid" :1,"dur" :60,"ts" :100,"ph" : "X","name" :"model_run","args" : {}},
{"cat" : "Session","pid" :0,"tid" :1,"dur" :60,"ts" :130,"ph" : "X","name" :"model_run","args" : {}}
]
END
printf '\xff' | dd of=made.json bs=1 seek=80 conv=notrunc 2>/dev/null
"$ortmeter" import --db t.db made.json >out 2>err || fail "$(cat err)"
traced '4 slices, 0 instants, 0 values'
