#!/bin/bash
# advise.sh -- what stands out in a run: memory that is kept of each inference,
# optimisation that is switched off; and nothing where nothing is wrong.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

rules() {
    "$ortmeter" advise --json --db t.db | jq -r '.findings[].rule'
}

each() {
    "$ortmeter" advise --json --db t.db |
        jq '.findings[] | select(.rule == "leak").evidence[] |
            select(.name == "each").value | floor'
}

# --- memory ---------------------------------------------------------------------

# Memory is read four times a second; a machine may be too busy for that, and
# then nothing can be told: which is right, but not what is asked here.
leaks() {
    meter "$programs/leaking" "$models/convnet.onnx" 15 4096
    [ "$rc" -eq 0 ] || fail "the program failed"
    rules | grep -qx leak
}

for attempt in 1 2 3; do
    ! leaks || break
    [ "$attempt" -lt 3 ] || fail "the leak is not found"
done
got=$(each)
((got > 3686 && got < 4506)) || fail "4096 bytes are kept of each, not $got"
"$ortmeter" report --db t.db >said
grep -q '^trouble *memory grows without end' said ||
    fail "the report does not begin with it"

meter "$programs/leaking" "$models/convnet.onnx" 15 0
! rules | grep -qx leak || fail "there is no leak"

# --- options --------------------------------------------------------------------

cat >options.cjs <<'END'
const [where, model, level] = process.argv.slice(2), ort = require(where);
(async () => {
    const s = await ort.InferenceSession.create(model,
        {graphOptimizationLevel: level, logSeverityLevel: 3});
    const x = new ort.Tensor('float32', new Float32Array(12288), [1, 3, 64, 64]);
    for (let i = 0; i < 20; i++)
        await s.run({input: x});
})();
END
for level in disabled all; do
    meter node options.cjs "$npm/onnxruntime-node" "$models/convnet.onnx" \
        "$level"
    [ "$rc" -eq 0 ] || fail "the program failed"
    want=0
    [ "$level" = all ] || want=1
    [ "$(rules | grep -cx optimisation_off || true)" = "$want" ] ||
        fail "$level: not as expected"
    [ "$level" = all ] || "$ortmeter" advise --json --try --db t.db >tried.json
done
# What was tried is told with its interval, whatever came of it.
jq -e '.tried | length == 2 and (.[0] | .what == "graph optimisation" and
    .from == "disabled" and .to == "all") and (.[1] | .what == "threads" and
    .from == "0" and .to == "1") and all(.[]; .before_us > 0 and
    .interval[0] <= .change and .change <= .interval[1] and
    (.verdict != "better" or .change < 0) and
    (.verdict != "worse" or .change > 0))' tried.json >said ||
    fail "what was tried: $(cat tried.json)"
"$ortmeter" advise --db t.db | grep 'nothing stands out' >/dev/null ||
    fail "something stands out where nothing should"

# --- slow ones ------------------------------------------------------------------

# Some of a recorded run are made ten times as long: each is an event, with what
# was to be expected.
cat >many.cjs <<'END'
const [where, model] = process.argv.slice(2), ort = require(where);
(async () => {
    const s = await ort.InferenceSession.create(model, {logSeverityLevel: 3});
    const x = new ort.Tensor('float32', new Float32Array(12288), [1, 3, 64, 64]);
    for (let i = 0; i < 600; i++)
        await s.run({input: x});
})();
END
need_tool sqlite3
need_tool curl
rm -f t.db*
meter_options=(--ops off)
meter node many.cjs "$npm/onnxruntime-node" "$models/convnet.onnx"
[ "$rc" -eq 0 ] || fail "the program failed"
sqlite3 t.db 'UPDATE inferences SET duration_ns = 10 * (SELECT max(duration_ns)
    FROM inferences) WHERE number IN (450, 500, 550)'
XDG_STATE_HOME=$TMPDIR/state "$ortmeter" serve --db t.db --port "$(free_port)" \
    2>serve.err &
server=$!
await is_serving serve.err
curl -s "$base/api/events?kind=slow&limit=1000" >events.json
curl -s "$base/api/findings" >findings.json
kill $server
wait $server || true
jq -e --slurpfile f findings.json '.total == $f[0].slow.count and
    all(.events[]; .kind == "slow" and .session == 1 and .phase == "other" and
        .expected_ms < .duration_ms and (.causes | type) == "array") and
    ([.events[].inference] | contains([450, 500, 550]))' events.json >said ||
    fail "slow ones: $(cat events.json findings.json)"

# --- refusals -------------------------------------------------------------------

rc=0
"$ortmeter" advise --db t.db nosuch 2>err || rc=$?
[ "$rc" -eq 1 ] || fail "a run that is not there: exit code $rc"
