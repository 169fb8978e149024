#!/bin/bash
# Text, page and JSON of a dozen recorded runs of all kinds agree, figure by
# figure, after rounding to the digits that are shown.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

walked=0

# The last recorded run.
walk() { # what it is
    "$ortmeter" report last --db t.db --json >walk.json
    "$ortmeter" report last --db t.db >walk.txt
    "$ortmeter" export last --db t.db -f html -o walk.html
    local phases=() phase # whose operators have tables of their own
    rm -f walk-*.json
    for phase in prefill decode; do
        jq -e ".gaps.sessions[0].phases.$phase" walk.json >verdict || continue
        "$ortmeter" report last --db t.db --phase $phase --json \
            >walk-$phase.json
        phases+=("$phase=walk-$phase.json")
    done
    node "$here/walk.cjs" walk.json walk.txt walk.html "${phases[@]}" ||
        fail "$1: the three do not agree"
    walked=$((walked + 1))
}

recorded() { # what it is, command...
    meter "${@:2}"
    [ "$rc" -eq 0 ] || fail "$1: exit code $rc"
    walk "$1"
}

benched() { # what it is, arguments of bench...
    "$ortmeter" bench "${@:2}" --db t.db --ort "$ort" -q
    walk "$1"
}

recorded "few" "$programs/linked" "$models/mlp.onnx" 3
recorded "many" "$programs/linked" "$models/mlp.onnx" 1500
recorded "threads" "$programs/threads" 101 "$models/mlp.onnx" \
    "$models/convnet.onnx"
recorded "asynchronous" "$programs/async" "$models/mlp.onnx" 29
meter_options+=(--ops all)
recorded "all traced" "$programs/linked" "$models/mlp.onnx" 101
recorded "texts, traced" "$programs/generate" "$models/decoder/model.onnx" \
    threads 4 24 30 2 2 16
meter_options=(--ops off)
recorded "nothing traced" "$programs/linked" "$models/mlp.onnx" 101
recorded "texts" "$programs/generate" "$models/decoder/model.onnx" \
    turns 3 24 20 2 2 16
meter_options=(--ops 10)
recorded "some traced" "$programs/linked" "$models/convnet.onnx" 101
recorded "node" node "$here/infer.cjs" "$npm/onnxruntime-node" "$silero" 101 \
    "${silero_inputs[@]}"
benched "a bench" "$models/mlp.onnx" --count 101
benched "batches" "$models/mlp.onnx" --batch 1,4,16 --count 64
benched "levels" "$models/mlp.onnx" --compare-levels --count 32
bert=${DATA:-/nowhere}/llm/models/bert/optimum/model.onnx
[ ! -e "$bert" ] || benched "ids, and no cache" "$bert" --count 32
[ "$walked" -ge 12 ] || fail "only $walked runs"
