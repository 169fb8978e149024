#!/bin/bash
# serve_profiling.sh -- what /ws/profiling says of live runs: power as a meter
# shows it, layers and components as they are stored; of run --serve and through
# a collector's socket; and which errors it tells of.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
need_tool curl
need_tool node
need_tool jq
[ -d "$npm/onnxruntime-node" ] || skip "no onnxruntime-node: tools/deps.sh test"
node --experimental-websocket -e 'new WebSocket("ws://127.0.0.1:1")' \
    >/dev/null 2>&1 || skip "this node has no WebSocket"

export ORTMETER_DB=$TMPDIR/t.db XDG_STATE_HOME=$TMPDIR/state
export XDG_RUNTIME_DIR=$TMPDIR/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"

# A meter that goes on showing something else.
run_meter() {
    local i
    for ((i = 0; ; i++)); do
        echo "$(date +%s.%3N) $((40 + i % 97)).25" >>meter.txt
        sleep 0.05
    done
}
: >meter.txt
run_meter &

# Texts are made until there is a file, or nobody waits for them any more.
cat >program <<'END_OF_PROGRAM'
while [ -e program ] && [ ! -e end ]; do
    node "$1/decode.cjs" "$2/onnxruntime-node" "$3/decoder" 2 7 10
done
END_OF_PROGRAM
command=(-q --ops all --meter meter.txt --meter-offset 0 --
    sh program "$here" "$npm" "$models")

listen() { # how many errors, and what is said to it
    : >said.txt
    node --experimental-websocket "$here/profiling_types.mjs" "$base" "$@" \
        >said.txt 2>client.err &
    listener=$!
    await grep -q '"open"' said.txt
}

powers() {
    [ "$(grep -c '"power_sample"' said.txt)" -ge "$1" ]
}

of_type() { # type: its data, a line each
    jq -c "select(.type == \"$1\").data" said.txt
}

# The run is over, and so are the messages.
check() { # runner
    await powers 3
    : >end
    wait "$1" || fail "the run: $(cat run.err)"
    wait "$listener" || fail "the client: $(cat client.err)"
    id=$(jq -r 'select(.type == "inference_complete").data.run_id' said.txt)
    [ -n "$id" ] || fail "no end: $(tail -n 3 said.txt)"
    "$ortmeter" export "$id" --format json -o whole.json 2>err ||
        fail "export: $(cat err)"
    # Each is a line of the meter, and no two are of one time.
    of_type power_sample | jq -r '.total_power_mw / 1000' | sort -u >told.txt
    awk '{ print $2 + 0 }' meter.txt | sort -u | comm -13 - told.txt >odd.txt
    [ ! -s odd.txt ] || fail "the meter never showed: $(cat odd.txt)"
    of_type power_sample | jq -es 'all(.[]; .method == "measured") and
        ([.[].time_ns] | . == (sort | unique))' >/dev/null ||
        fail "power: $(of_type power_sample)"
    of_type layer_metrics | jq -c '.layers[] | [.id, .layer_index,
        .duration_ms]' >told.txt
    # Of the whole run, and within each token that was traced.
    jq -c '[.layer_metrics, .tokens | .. | objects | select(has("layer_index")
        and has("components"))] | sort_by(.id)[] | [.id, .layer_index,
        .duration_ms]' whole.json >stored.txt
    [ -s stored.txt ] || fail "no layers are stored"
    cmp told.txt stored.txt || fail "layers: $(cat told.txt)"
    of_type component_metrics | jq -c '.components[] | [.id, .component_name,
        .count, .layer_metric_id // 0]' >told.txt
    jq -c '[.layer_metrics, .tokens, .component_metrics | .. | objects |
        select(has("component_name"))] | sort_by(.id)[] | [.id,
        .component_name, .count, .layer_metric_id // 0]' whole.json >stored.txt
    [ -s stored.txt ] || fail "no components are stored"
    cmp told.txt stored.txt || fail "components: $(cat told.txt)"
}

# --- run --serve --------------------------------------------------------------------

"$ortmeter" run --serve "${command[@]}" >out.txt 2>run.err &
runner=$!
await is_serving run.err
listen
check "$runner"

# --- through the collector's socket ---------------------------------------------------

rm -f end
mkdir -p roots/broken
echo '{}' >roots/broken/config.json
echo 'no model' >roots/broken/model.onnx
"$ortmeter" serve --model-root roots 2>serve.err &
server=$!
await is_serving serve.err
listen
"$ortmeter" run "${command[@]}" >out.txt 2>run.err &
check $!

# --- errors ---------------------------------------------------------------------------

# What is said wrongly is answered, and it goes on.
listen 4 'no JSON' '[]' '{"type":"ping"}' '{"type":"subscribe","run":"nobody"}'
wait "$listener" || fail "the client: $(cat client.err)"
jq -es 'map(select(.type == "error")) | map(.data.code) == ["bad_json",
    "bad_json", "unknown_type", "unknown_run"] and all(.[];
    (.timestamp | type) == "number" and (.data | has("run_id") | not) and
    (.data.message | length > 0))' said.txt >/dev/null ||
    fail "wrong messages: $(cat said.txt)"

# A text that could not be made: those who wait hear it, too, and nothing else
# of those who want errors only.
listen 1 '{"type":"subscribe","types":["error"]}'
status=$(curl -s -o answer.json -w '%{http_code}' -X POST \
    -H "Authorization: Bearer $owner" -H 'Content-Type: application/json' \
    -d '{"prompt":"a","modelPath":"broken"}' "$base/api/profiling/generate")
[ "$status" = 500 ] || fail "a broken model: $status $(cat answer.json)"
wait "$listener" || fail "the client: $(cat client.err)"
jq -es --slurpfile answer answer.json 'map(select(has("data"))) | length == 1 and
    (.[0] | .type == "error" and (.timestamp | type) == "number" and
    .data.code == "generation_failed" and
    .data.message == $answer[0].detail)' said.txt >/dev/null ||
    fail "the failure: $(cat said.txt) $(cat answer.json)"
kill "$server"
wait "$server" || fail "the server did not end well"
