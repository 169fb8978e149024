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
done
"$ortmeter" advise --db t.db | grep 'nothing stands out' >/dev/null ||
    fail "something stands out where nothing should"

# --- refusals -------------------------------------------------------------------

rc=0
"$ortmeter" advise --db t.db nosuch 2>err || rc=$?
[ "$rc" -eq 1 ] || fail "a run that is not there: exit code $rc"
