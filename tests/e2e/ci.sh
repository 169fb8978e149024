#!/bin/bash
# What ci/ has for build servers: every shell step runs, with the environment
# that the server would give it.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
need_tool python3
python3 -c 'import yaml' 2>/dev/null || skip "Python has no yaml here"

steps() { # exit code, kind, file, inputs...
    local want=$1 rc=0
    shift
    rm -rf work
    mkdir work
    (cd work && python3 "$here/ci_steps.py" "$1" "$SRC/ci/$2" "${@:3}" \
        "ortmeter=$ortmeter") || rc=$?
    [ "$rc" -eq "$want" ] || fail "$1: exit code $rc, not $want: $(cat work/*)"
}

# A copy is the same, within what a busy machine does to it.
cp "$models/convnet.onnx" copy.onnx
same=("base=$models/convnet.onnx" "head=$TMPDIR/copy.onnx" least=100%)

steps 0 github github/action.yml "${same[@]}"
grep -q '^verdict=same$' work/output || fail "$(cat work/output)"
grep -q '^exit-code=0$' work/output || fail "$(cat work/output)"
grep -q '^## ortmeter: same' work/summary || fail "$(cat work/summary)"
grep -q '^::notice title=ortmeter::same' work/log || fail "$(cat work/log)"
for file in check.json check.md check.xml benchmark.json bmf.json; do
    [ -s "work/ortmeter-check/$file" ] || fail "no $file"
done

# Slower, by 64 times the work: found, annotated, with a page about it.
infer="node $here/infer.cjs $npm/onnxruntime-node $models/mlp.onnx 300"
steps 3 github github/action.yml "base-command=$infer x=float32:1x64" \
    "head-command=$infer x=float32:64x64"
grep -q '^::error title=ortmeter::worse' work/log || fail "$(cat work/log)"
grep -q '</html>' work/ortmeter-check/head.html || fail "no page"
[ "$(wc -c <work/summary)" -le 1048576 ] || fail "the summary is too long"
steps 0 github github/action.yml fail-on=never \
    "base-command=$infer x=float32:1x64" "head-command=$infer x=float32:64x64"
grep -q '^exit-code=3$' work/output || fail "$(cat work/output)"

# Cannot decide: a warning; a failure only where it is asked for.
steps 0 github github/action.yml "${same[@]}" duration=0.01
grep -q '^::warning title=ortmeter::cannot tell' work/log ||
    fail "$(cat work/log)"
steps 4 github github/action.yml "${same[@]}" duration=0.01 fail-on=undecided
steps 2 github github/action.yml base=nosuch.onnx head=nosuch.onnx
grep -q '^::error title=ortmeter::it could not' work/log || fail "$(cat work/log)"

echo 'p10 = "1 ns"' >over.toml
steps 0 azure azure/ortmeter.yml "${same[@]}"
[ -s work/ortmeter-check/check.xml ] || fail "no test results"
grep -q '##vso\[task.uploadsummary\]' work/log || fail "$(cat work/log)"
steps 3 azure azure/ortmeter.yml "${same[@]}" "budget=$TMPDIR/over.toml"
grep -q '##vso\[task.logissue type=error\]' work/log || fail "$(cat work/log)"
steps 4 azure azure/ortmeter.yml "${same[@]}" duration=0.01 failOn=undecided

gitlab() { # exit code, variables...
    local rc=0
    rm -rf work
    mkdir work
    (cd work && python3 "$here/ci_steps.py" gitlab \
        "$SRC/ci/gitlab/ortmeter.yml" "ORTMETER=$ortmeter" "${@:2}") || rc=$?
    [ "$rc" -eq "$1" ] || fail "gitlab: exit code $rc, not $1"
}
gitlab 0 "BASE=$models/convnet.onnx" "HEAD=$TMPDIR/copy.onnx" LEAST=100%
[ -s work/ortmeter-check/check.xml ] || fail "no test results"
gitlab 4 "BASE=$models/convnet.onnx" "HEAD=$TMPDIR/copy.onnx" DURATION=0.01
