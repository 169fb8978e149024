#!/bin/bash
# Traces for Perfetto: JSON to the letter, everything within something or beside
# it on its track, and nothing lost, of runs that we recorded and imported.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

need_tool python3
need_tool sqlite3

# Reads a trace as strictly as can be, and prints how many events there are of
# each category.  Times are whole nanoseconds when multiplied, so no rounding
# hides an overlap.
cat >check.py <<'END'
import collections, gzip, json, sys

def refuse(x):
    raise ValueError(x)

def is_json(text):
    try:
        return json.loads(text) is not None
    except ValueError:
        return False

opened = gzip.open if sys.argv[1].endswith('.gz') else open
class Number(float):
    def __new__(cls, text):
        self = float.__new__(cls, text)
        self.text = text
        return self

trace = json.loads(opened(sys.argv[1], 'rb').read().decode('utf-8'),
                   parse_constant=refuse, parse_float=Number)
for e in trace['traceEvents']:
    for x in (e.get('ts'), e.get('dur')):
        assert not isinstance(x, Number) or \
            len(x.text.partition('.')[2]) == 3, f'not to the nanosecond: {e}'
assert trace['displayTimeUnit'] == 'ns', 'displayTimeUnit'
tracks, named, kinds = collections.defaultdict(list), set(), collections.Counter()
for e in trace['traceEvents']:
    assert isinstance(e['pid'], int) and isinstance(e['tid'], int), e
    assert 0 <= e['pid'] < 2**31 and 0 <= e['tid'] < 2**32, e
    if e['ph'] == 'M':
        assert e['name'] in ('process_name', 'thread_name'), e
        assert e['args']['name'], e
        named.add((e['pid'], e['tid'] if e['name'] == 'thread_name' else None))
        continue
    if e['ph'] == 'C':
        kinds['Sampled', 'C'] += 1
        assert e['pid'] == 0 and e['ts'] >= 0 and len(e['args']) == 1, e
        continue
    kinds[e['cat'], e['ph']] += 1
    start = round(e['ts'] * 1000)
    if e['ph'] == 'i':
        assert e['s'] == 't' and start >= 0, e
        continue
    assert e['ph'] == 'X', e
    end = start + round(e['dur'] * 1000)
    assert 0 <= start <= end, e
    if e['cat'] == 'Node':
        assert e['name'].endswith('_kernel_time') and 'op_name' in e['args'], e
        for key in ('input_type_shape', 'output_type_shape'):
            shapes = e['args'].get(key, [])
            assert isinstance(shapes, list) or not is_json(shapes), e
    tracks[e['pid'], e['tid']].append((start, -end, e))
for track, events in tracks.items():
    assert track in named and (track[0], None) in named, f'{track} has no name'
    stack = []
    for start, end, e in sorted(events, key=lambda x: x[:2]):
        while stack and stack[-1][0] <= start:
            stack.pop()
        assert not stack or -end <= stack[-1][0], \
            f"{e['name']} at {e['ts']} overlaps {stack[-1][1]['name']}"
        stack.append((-end, e))
        # A node that ran on its inference's thread lies in it.
        if e['cat'] == 'Node' and -end > start:
            runs = [x for _, x in stack if x['cat'] == 'Session'
                    and 'inference' in x['args']]
            assert all(x['args']['inference'] == e['args'].get('inference')
                       for x in runs[-1:]), e
print(*[f'{cat} {ph} {n}' for (cat, ph), n in sorted(kinds.items())], sep='\n')
END

sql() { # query on the last run
    sqlite3 t.db "${1//:run/(SELECT max(id) FROM profiling_runs)}"
}

# Exports the last run and compares the counts with the database's.
traced() {
    local got want
    "$ortmeter" export --db t.db -f chrome -o trace.json 2>err ||
        fail "there is no trace: $(cat err)"
    # What was held back is found, and not in a table.
    got=$(python3 check.py trace.json | sed '/^Throttling X /d') ||
        fail "the trace is not sound"
    want=$(sql "SELECT 'Mark i ' || n FROM (SELECT count(*) n FROM events
            WHERE run = :run AND kind = 0) WHERE n > 0
        UNION SELECT 'Node X ' || n FROM (SELECT count(*) n FROM operator_runs
            WHERE run = :run AND cycles IS NULL) WHERE n > 0
        UNION SELECT 'Sampled C ' || n FROM (SELECT count(*) n FROM readings
            WHERE run = :run) WHERE n > 0
        UNION SELECT 'Section X ' || n FROM (SELECT count(*) n
            FROM pipeline_sections WHERE run = :run) WHERE n > 0
        UNION SELECT 'Session X ' || n FROM (SELECT
            (SELECT count(*) FROM inferences WHERE run = :run) +
            (SELECT count(*) + count(read_ns) FROM sessions WHERE run = :run
                AND duration_ns NOT NULL) n) WHERE n > 0
        UNION SELECT 'Token i ' || n FROM (SELECT count(*) n FROM tokens
            WHERE run = :run) WHERE n > 0")
    [ "$got" = "$want" ] ||
        fail "other counts: $(diff <(echo "$got") <(echo "$want"))"
}

# --- recorded ----------------------------------------------------------------

export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$BUILD
meter_options=(--ops all)
meter "$programs/sections" "$models/mlp.onnx" 53
[ "$rc" -eq 0 ] || fail "the program failed"
traced
grep -q '"name":"the only one"' trace.json || fail "the thread has no name"
grep -q 'one \\"quoted\\"' trace.json || fail "the section has no name"
"$ortmeter" export --db t.db -f chrome -z -o trace.json.gz
cmp <(gzip -dc trace.json.gz) trace.json || fail "packed, it is another"
cmp <("$ortmeter" export last --db t.db -f chrome) trace.json ||
    fail "on stdout, it is another"

meter node "$here/infer.cjs" "$npm/onnxruntime-node" "$silero" 31 \
    "${silero_inputs[@]}"
[ "$rc" -eq 0 ] || fail "node failed"
traced

meter "$programs/async" "$models/mlp.onnx" 29
[ "$rc" -eq 0 ] || fail "the asynchronous program failed: $(cat err)"
traced

meter "$programs/threads" 51 "$models/mlp.onnx" "$models/convnet.onnx"
[ "$rc" -eq 0 ] || fail "the program with threads failed: $(cat err)"
traced

# --- imported ----------------------------------------------------------------

# Names that break everything; nodes at the same microsecond; a child that
# sticks out; runs that overlap on one thread.
cat >made.json <<'END'
[
{"cat" : "Node","pid" :0,"tid" :1,"dur" :0,"ts" :110,"ph" : "X","name" :"a"b\c_kernel_time","args" : {"op_name" : "A
dd","input_type_shape" : [{"fl"oat":[1]}]}},
{"cat" : "Node","pid" :0,"tid" :1,"dur" :0,"ts" :110,"ph" : "X","name" :"b_kernel_time","args" : {"op_name" : "Add"}},
{"cat" : "Node","pid" :0,"tid" :1,"dur" :5,"ts" :156,"ph" : "X","name" :"c_kernel_time","args" : {"op_name" : "Add"}},
{"cat" : "Node","pid" :0,"tid" :1,"dur" :50,"ts" :110,"ph" : "X","name" :"If_0_kernel_time","args" : {"op_name" : "If"}},
{"cat" : "Session","pid" :0,"tid" :1,"dur" :60,"ts" :100,"ph" : "X","name" :"model_run","args" : {}},
{"cat" : "Session","pid" :0,"tid" :1,"dur" :60,"ts" :130,"ph" : "X","name" :"model_run","args" : {}}
]
END
"$ortmeter" import --db t.db made.json >out 2>err || fail "$(cat err)"
traced
grep -q '"name":"thread 1 (2)"' trace.json || fail "there is no second lane"

# A trace of ours is a profile like any other.
"$ortmeter" import --db t.db trace.json >out 2>err || fail "$(cat err)"
traced

rc=0
"$ortmeter" export --db t.db 2>err || rc=$?
refused 2 'no format'
rc=0
"$ortmeter" export --db t.db -f chrome nowhere 2>err || rc=$?
refused 1 'no run'
rc=0
"$ortmeter" export --db t.db -f chrome -o none/trace.json 2>err || rc=$?
refused 1 'none/trace.json'

profiles=${DATA:-$SRC/../shared/data}/ort_profiles
[ -d "$profiles" ] || skip "the rest needs the recordings of $profiles"
for file in "$profiles"/*; do
    "$ortmeter" import --db t.db "$file" >out 2>err || fail "$(cat err)"
    traced
done
