#!/bin/bash
# Base and head, measured in pairs: exit codes, budgets, documents for build
# servers.  What has to be found is several times slower, and what has to be the
# same may differ by half, so that a busy machine changes nothing.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
need_tool python3

export ORTMETER_DB=$TMPDIR/t.db

check() { # exit code, options...
    local want=$1
    shift
    rc=0
    "$ortmeter" check "$@" >out 2>err || rc=$?
    [ "$rc" -eq "$want" ] || fail "exit code $rc, not $want: $(cat out)"
}

# A model and itself.
check 0 "$models/convnet.onnx" --least 100% --duration 120 --json
jq -e '.verdict == "same" and .exit_code == 0 and (.pairs | length) >= 4 and
    (.figures | map(.name) | index("p10") == 0) and
    (.figures[0].interval | length) == 2 and (has("operators") | not)' \
    out >/dev/null || fail "$(cat out)"

# Without graph optimisation: found, and the operators are named.  That the one
# which is slower comes first is for runs that are made: see test_judgement.c.
check 3 "$models/convnet.onnx" --head-level disabled --duration 120 --json \
    --junit check.xml --markdown check.md --benchmark bench.json \
    --bencher bmf.json
jq -e '.verdict == "worse" and .exit_code == 3 and .figures[0].change > 0.5 and
    (.operators | length) > 5 and any(.operators[]; .op_type == "Conv") and
    ([.change_us | .operators, .placement, .fusion, .rest] | add * 1000 |
        round) == (.change_us.whole * 1000 | round) and
    ([.operators[].change_us, .change_us.rest] | add * 1000 | round) ==
        (.change_us.whole * 1000 | round)' out >/dev/null ||
    fail "$(cat out)"
python3 - check.xml <<'PY' || fail "$(cat check.xml)"
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
suite = root.find('testsuite')
assert suite.get('failures') == '1' and suite.get('tests') == '1'
assert 'worse' in suite.find('testcase/failure').get('message')
PY
grep -q '^## ortmeter: worse' check.md || fail "$(cat check.md)"
jq -e 'all(has("name") and has("unit") and (.value > 0)) and length > 3' \
    bench.json >/dev/null || fail "$(cat bench.json)"
jq -e '.["convnet at level disabled"].p10 |
    .lower_value < .value and .value < .upper_value' bmf.json >/dev/null ||
    fail "$(cat bmf.json)"
# What was recorded for the operators can be compared again.
tag=$("$ortmeter" list --json | jq -r '.runs[0].run.tags[0]' | sed 's/-[a-z]*$//')
"$ortmeter" compare "$tag-base" "$tag-head" --json |
    jq -e '.runs.before | length == 3' >/dev/null || fail "not found by tag"

# No time: cannot decide.
check 4 "$models/convnet.onnx" --duration 0.01
grep -q 'cannot tell' out || fail "$(cat out)"

# Budgets: kept, over, and one that only one model has.
echo 'p10 = "10 s"' >b.toml
check 0 "$models/convnet.onnx" --duration 120 --least 100% --budget b.toml
grep -q 'kept: p10 10 s' out || fail "$(cat out)"
printf 'p10 = "90%%"\n[models.convnet]\npeak_rss = "1 MB"\n' >b.toml
check 3 "$models/convnet.onnx" --duration 120 --budget b.toml --json
jq -e '.budgets | map(.state) == ["kept", "over"]' out >/dev/null ||
    fail "$(cat out)"
printf '[models.nosuch]\np10 = "1 ns"\n' >b.toml
check 0 "$models/convnet.onnx" --duration 120 --least 100% --budget b.toml
printf '[operators]\nConv = "1%%"\n' >b.toml
check 3 "$models/convnet.onnx" --head-level disabled --duration 120 \
    --budget b.toml
echo 'p10 = "quick"' >b.toml
check 1 "$models/convnet.onnx" --budget b.toml
refused 1 'b.toml: line 1: p10 needs a limit'

# Commands: whole runs in turns, recorded with all that runs have.
infer="node $here/infer.cjs $npm/onnxruntime-node"
check 3 --duration 120 --json --db c.db \
    --base "$infer $models/mlp.onnx 300 x=float32:1x64" \
    --head "$infer $models/mlp.onnx 300 x=float32:512x64"
jq -e '.verdict == "worse" and .way == "whole runs, in turns" and
    (.pairs | length) >= 4' out >/dev/null || fail "$(cat out)"
[ "$("$ortmeter" list --db c.db --json | jq '.runs | length')" -ge 8 ] ||
    fail "the runs were not recorded"

# Several threads: one process after the other.
# On a busy machine, whose load stops one thread while the other spins, pairs
# may differ by more than any limit: then it says so.
rc=0
"$ortmeter" check "$models/convnet.onnx" --threads 2 --duration 20 --least 300% \
    --no-operators --json >out 2>err || rc=$?
jq -e --argjson rc "$rc" '(.way | startswith("fresh processes")) and
    .exit_code == $rc and
    ({"same": 0, "cannot_tell": 4}[.verdict] == $rc)' out >/dev/null ||
    fail "exit code $rc: $(cat out)"

# What makes no sense.
check 2
refused 2 'nothing to check'
check 2 --base true
refused 2 'go together'
check 2 nosuch.onnx
refused 2 'nosuch.onnx'
echo nonsense >bad.onnx
check 1 bad.onnx --duration 1
refused 1 bad.onnx
check 1 --base true --head true --duration 1
refused 1 'ran no inferences'
check 1 --base 'exit 5' --head 'exit 5' --duration 1
refused 1 'exit code 5'
