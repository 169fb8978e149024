#!/bin/bash
# serve_generate.sh -- texts made through the API: the same as by the command,
# waited for or not, stopped, refused; and what /ws/profiling says meanwhile.
. "$(dirname "$0")/lib.sh"
need_tool curl
need_tool node
need_tool jq
[ -n "${DATA:-}" ] || skip "there is no ../shared/data with language models"
newest=$BUILD/ort/1.31.1/libonnxruntime.so
[ -e "$newest" ] || skip "there is no ONNX Runtime 1.31.1: tools/deps.sh test"
node --experimental-websocket -e 'new WebSocket("ws://127.0.0.1:1")' \
    >/dev/null 2>&1 || skip "this node has no WebSocket"

export ORTMETER_DB=$TMPDIR/t.db XDG_STATE_HOME=$TMPDIR/state
export XDG_RUNTIME_DIR=$TMPDIR ORTMETER_ORT=$newest
zoo=$DATA/llm/models
prompt=$(jq -r '.prompts[0].text' "$zoo/llama/expected.json")

await() { # what, command...
    local i
    for ((i = 0; i < 600; i++)); do
        "${@:2}" && return
        sleep 0.1
    done
    fail "never: $1: $(cat answer.json 2>/dev/null)"
}

"$ortmeter" serve --model-root "$zoo/llama" 2>serve.err &
server=$!
await 'the server' is_serving serve.err
bearer=(-H "Authorization: Bearer $owner")
json=(-H 'Content-Type: application/json')

body() { # folder, tokens, more members
    jq -nc --arg p "$prompt" --arg m "$1" --argjson n "$2" \
        '{prompt: $p, modelPath: $m,
          config: {greedy: true, max_new_tokens: $n}} + '"${3:-{\}}"
}

post() { # status, body, curl's arguments...
    local got
    got=$(curl -s -D headers.txt -o answer.json -w '%{http_code}' -X POST \
        "${bearer[@]}" "${json[@]}" "${@:3}" -d "$2" \
        "$base/api/profiling/generate")
    [ "$got" = "$1" ] || fail "$2: $got, not $1: $(cat answer.json)"
}

# --- the same text as by the command ---------------------------------------------

node --experimental-websocket "$here/profiling_types.mjs" "$base" >said.txt &
listener=$!
await 'the listener' grep -q open said.txt
post 200 "$(body optimum 8 '{tags: "x,y", experimentName: "first"}')"
wait "$listener" || fail "the listener failed"
"$ortmeter" generate --db own.db -q --greedy --max-tokens 8 --prompt "$prompt" \
    "$zoo/llama/optimum" >text.txt 2>err || fail "$(cat err)"
[ "$(jq -r .response answer.json)" = "$(cat text.txt)" ] ||
    fail "another text: $(cat answer.json) $(cat text.txt)"
id=$(jq -r .runId answer.json)
curl -s "$base/api/profiling/run/$id?parts=run" >run.json
jq -e '.run.tags == "x,y" and .run.experiment_name == "first" and
    (.run | has("prompt") | not) and .run.status == "complete"' run.json \
    >/dev/null || fail "the run: $(cat run.json)"
! grep -qrF "$prompt" "$XDG_STATE_HOME" || fail "the prompt stays"

for type in section_start section_end token_complete inference_complete; do
    grep -q "\"type\":\"$type\"" said.txt || fail "no $type: $(cat said.txt)"
done
sed 1d said.txt | jq -es --arg id "$id" 'all(.[]; (.timestamp | type) ==
    "number" and .data.run_id == $id) and
    (.[-1].data | .status == "complete" and .output_tokens == 8)' >/dev/null ||
    fail "messages: $(cat said.txt)"

# --- as deep as it goes --------------------------------------------------------------

post 200 "$(body optimum 3 '{profilingDepth: "deep"}')"
id=$(jq -r .runId answer.json)
curl -s "$base/api/profiling/run/$id?parts=tokens" >run.json
jq -e '(.tokens | length) == 3 and all(.tokens[].layers[]; .activation_mean > 0 and
    ([.components[].deep_operations[] | select(has("attention_entropy_per_head"))] |
        length == 1 and (.[0].max_attention_weight_per_head | length == 4)))' \
    run.json >/dev/null || fail "not so deep: $(head -c 2000 run.json)"

# --- not waited for, and stopped ----------------------------------------------------

post 202 "$(body optimum 4096)" -H 'Prefer: respond-async'
id=$(jq -r .runId answer.json)
jq -e '.status == "running"' answer.json >/dev/null || fail "$(cat answer.json)"
grep -qi "^location: /api/profiling/run/$id" headers.txt ||
    fail "$(cat headers.txt)"
is_stopped() {
    curl -s -o answer.json -X POST "${bearer[@]}" "${json[@]}" \
        -d '{"stop":true}' "$base/api/profiling/run/$id/control"
    curl -s "$base/api/profiling/run/$id?parts=run" >run.json
    jq -e '.run.status != "running"' run.json >/dev/null
}
await 'the end of what was stopped' is_stopped
jq -e '.run.status == "killed"' run.json >/dev/null || fail "$(cat run.json)"

# --- refused ------------------------------------------------------------------------

post 400 '{"prompt":"a"}'
post 400 "$(body optimum 8 '{x: 1}')"
post 404 "$(body nothing 8)"
outside=$(jq -r .detail answer.json)
post 404 "$(body "$zoo/qwen2/optimum" 8)"
[ "$(jq -r .detail answer.json)" = "$outside" ] || fail "tells what is outside"
post 404 "$(body ../llama/../qwen2 8)"
[ "$(curl -s -o answer.json -w '%{http_code}' -X POST "${json[@]}" -d '{}' \
    "$base/api/profiling/generate")" = 403 ] || fail "a viewer may generate"

# One is under way, four wait, and more are too many.  All come at once, sooner
# than one is over.
askers=()
for i in {1..24}; do
    curl -s -o "many$i.json" -X POST "${bearer[@]}" "${json[@]}" \
        -d "$(body optimum 4096)" "$base/api/profiling/generate" &
    askers+=($!)
done
wait "${askers[@]}" || fail "one of many was not answered"
grep -q 'under way and four wait' many*.json || fail "none is too many: $(cat many*.json)"
grep -q 'the generation is complete' many*.json || fail "$(cat many*.json)"

kill "$server"
wait "$server" || fail "the server did not end well: $(cat serve.err)"
for file in "$XDG_STATE_HOME"/ortmeter/generate-*; do
    [ ! -e "$file" ] || fail "stays: $file"
done
