#!/bin/bash
# generate.sh -- `ortmeter generate` makes the tokens that the reference made,
# says in one sentence what is wrong with a folder, keeps to itself what somebody
# wrote, and its run is reported as any other.
# shellcheck source=tests/e2e/lib.sh
. "${SRC:-$PWD}/tests/e2e/lib.sh"

[ -n "${DATA:-}" ] || skip "there is no ../shared/data with language models"
newest=$BUILD/ort/1.31.1/libonnxruntime.so
[ -e "$newest" ] || skip "there is no ONNX Runtime 1.31.1: tools/deps.sh test"
zoo=$DATA/llm/models
llama=$zoo/llama/optimum

generate() { # arguments of ortmeter generate...
    "$ortmeter" generate --db t.db --ort "$newest" "$@" >out 2>err
}

# One sentence, and the text is in it.
refuses() { # text, arguments...
    local text=$1 code=0
    shift
    generate "$@" || code=$?
    [ "$code" -ne 0 ] || fail "took: $*"
    grep -qF "$text" err || fail "says not '$text': $(cat err)"
    [ "$(grep -c '^ortmeter' err)" -eq 1 ] || fail "more than one sentence"
}

# --- every model and layout ----------------------------------------------------

# The same ONNX Runtime in Python, in a plain loop, where there is one.
wheel=$BUILD/python/3.11-1.31.1
if [ -d "$wheel" ] && python=$("$SRC/tools/find_python.sh" 3.11); then
    PYTHONPATH=$wheel "$python" "$here/generate_loop.py" "$zoo" >loop.json ||
        fail 'the loop in Python'
fi
"$here/generate.py" "$ortmeter" "$newest" "$zoo" loop.json || fail 'other tokens'

# --- several at once ------------------------------------------------------------

first=$(jq -c '.prompts[0].greedy_ids[:8]' "$zoo/llama/expected.json")
second=$(jq -c '.prompts[1].greedy_ids[:8]' "$zoo/llama/expected.json")
texts=()
for i in 0 1; do
    texts+=(--prompt "$(jq -r ".prompts[$i].text" "$zoo/llama/expected.json")")
done
generate "$llama" "${texts[@]}" --max-tokens 8 --json || fail "$(cat err)"
[ "$(jq -c '[.generate.generations[0].texts[].ids]' out)" = \
    "[$first,$second]" ] || fail 'a batch makes other tokens'
refuses 'takes no position_ids' "$zoo/qwen2/genai11-fp32" "${texts[@]}"

# --- drawing, stopping, repeating ------------------------------------------------

draw() { # seed
    generate "$llama" --prompt Hello --max-tokens 12 --temperature 1.5 \
        --top-k 40 --top-p 0.95 --min-p 0.01 --seed "$1" --json &&
        jq -c '.generate.generations[0].texts[0].ids' out
}
[ "$(draw 7)" = "$(draw 7)" ] || fail 'the same seed draws other tokens'
[ "$(draw 7)" != "$(draw 8)" ] || fail 'another seed draws the same tokens'
generate "$llama" "${texts[@]:0:2}" --max-tokens 24 --json || fail "$(cat err)"
jq -j '.generate.generations[0].texts[0].text' out >whole
generate "$llama" "${texts[@]:0:2}" --max-tokens 24 --stop distribu ||
    fail "$(cat err)"
[ "$(cat out)" = "$(sed -z 's/distribu.*//' whole)" ] ||
    fail 'does not end before the stop text'
generate "$llama" --tokens 1,2,3 --max-tokens 3 --context 4,9 --repeat 2 \
    --json || fail "$(cat err)"
[ "$(jq -c '[.generate.generations[].prompt_tokens]' out)" = '[4,4,9,9]' ] ||
    fail 'other lengths than --context says'
jq -e '.generate | has("scaling") | not' out >/dev/null ||
    fail 'a line through two lengths'
# Three lengths: the line that jq lays through the same times.
generate "$llama" --tokens 1,2,3 --max-tokens 3 --context 4,9,30 --repeat 2 \
    --json || fail "$(cat err)"
jq -e 'def sum(f): map(f) | add;
    .generate | .scaling.ttft_ms as $fit |
    [.generations[] | {x: .prompt_tokens, y: .ttft_ms, w: (1 / (.ttft_ms * .ttft_ms))}] |
    ((sum(.w) * sum(.w * .x * .y) - sum(.w * .x) * sum(.w * .y)) /
        (sum(.w) * sum(.w * .x * .x) - sum(.w * .x) * sum(.w * .x))) as $each |
    ($fit.each_token - $each | fabs) < 0.000001 and
    $fit.each_token_interval[0] < $each and $each < $fit.each_token_interval[1]' \
    out >/dev/null || fail "another line: $(jq -c .generate.scaling out)"
jq -e '.generate.scaling.tpot_ms | has("each_token")' out >/dev/null || fail 'no later tokens'
# With --repeat, mean and spread are those that jq has of the same times; with two
# values, Student's t is 12.7062.
jq -e '.generate | .generations as $all | (.statistics | length) == 3 and
    all(.statistics[]; .prompt_tokens as $n | .ttft_ms |
        [$all[] | select(.prompt_tokens == $n).ttft_ms] as $x |
        ($x | add / 2) as $mean |
        ($x | map((. - $mean) * (. - $mean)) | add | sqrt) as $stddev |
        .count == 2 and (.mean - $mean | fabs) < 1e-5 and
        (.stddev - $stddev | fabs) < 1e-5 and
        (.mean_interval[1] - $mean - 12.7062 * $stddev / (2 | sqrt) | fabs) <=
            1e-4 * $stddev + 1e-5)' out >/dev/null ||
    fail "other statistics: $(jq -c .generate.statistics out)"

# A model with a cache in one piece, by numbers: its tokenizer has more than it.
gpt2=$DATA/models/tiny-random-gpt2
generate "$gpt2" --tokens 0,0,0,52 --tokens 0,0,195,731 --max-tokens 6 --json ||
    fail "$(cat err)"
[ "$(jq -c '[.generate.generations[0].texts[].ids]' out)" = \
    '[[204,204,204,204,204,204],[731,114,114,114,114,114]]' ] ||
    fail "tiny-random-gpt2 makes other tokens: $(cat out)"

# --- the record --------------------------------------------------------------------

generate "$llama" --chat --prompt 'a secret Xylophon' --max-tokens 5 ||
    fail "$(cat err)"
! grep -qai xylophon t.db* || fail 'the prompt was stored'
generate "$llama" --prompt 'Hello' --max-tokens 5 --depth module \
    --store-prompts --json || fail "$(cat err)"
"$ortmeter" report last --db t.db --json >report.json
jq -e '.tokens.count == 5 and .phases.prefill.count == 1 and
    .phases.decode.count == 4 and (.tokens.items | length) == 5 and
    ([.ops[].layer] | max) == 1' report.json >/dev/null ||
    fail 'the report tells another story'
"$ortmeter" export last --db t.db -f json --quiet -o run.json || fail 'no export'
jq -e '.tokens.items | map(.id) ==
    ($g[0].generate.generations[0].tokens | map(.id)) and
    all(.[]; has("text") and .duration_ms > 0 and .probability > 0)' \
    --slurpfile g out report.json >/dev/null || fail 'tokens without their figures'
jq -e '[.tokens[].probability] == [$g[0].generate.generations[0].tokens[].probability]' \
    --slurpfile g out run.json >/dev/null || fail 'other probabilities are stored'

# Its parts are a section's time, the layers and named gaps those of the layers,
# to the nanosecond; each token has both layers, and they their components.
jq -e '.pipeline_sections as $all |
    def parts($id): [$all[] | select(.parent_id == $id).duration_ns] | add;
    [$all[] | select(.section_name | test("^token_|^prefill"))] as $made |
    ($made | length) == 5 and
    all($made[]; .duration_ns == parts(.number)) and
    ([$made[0].number as $id | $all[] | select(.parent_id == $id)
        .section_name] | contains(["tensor_transfer", "embedding_lookup",
        "layers", "final_layernorm", "lm_head", "kv_cache_store", "sampling",
        "detokenization"])) and
    ([$made[1].number as $id | $all[] | select(.parent_id == $id)
        .section_name] | contains(["embedding", "layers", "lm_head",
        "kv_cache_append", "sampling"])) and
    [.tokens[].layers_ns] ==
        [$all[] | select(.section_name == "layers").duration_ns] and
    all(.tokens[]; (.layers | map(.layer_index)) == [0, 1] and
        (.layers | map(.duration_ns) | add) + .between_ns + .outside_ns ==
            .layers_ns and
        all(.layers[]; .duration_ns >= ([.components[].duration_ns] | add) and
            ([.components[].component_name] | contains(["q_proj", "down_proj"]))))' \
    run.json >/dev/null || fail 'layers and gaps are not the sections'
"$ortmeter" report last --db t.db --pipeline --json >pipeline.json
jq -e 'def ns: . * 1000000 | round;
    (.total_duration_ms | ns) == ([.phases[].total_duration_ms | ns] | add) and
    all(.phases[]; .section_count == (.sections | length) and
        (.total_duration_ms | ns) == ([.sections[].duration_ms | ns] | add) and
        all(.sections[] | select(has("sections")); (.duration_ms | ns) ==
            ([.sections[].duration_ms | ns] | add)))' pipeline.json >/dev/null ||
    fail 'phases are not the sum of their sections'
jq -e '.generate.model | .architecture == "llama" and .layers == 2 and
    .heads == 4 and .kv_heads == 2 and .head_size == 16' out >/dev/null ||
    fail 'the model is described wrongly'

jq -e '.generate.generations[0] |
    ([.phases[].duration_ns] | add) == .duration_ns and
    all(.phases[]; ([.sections[].duration_ns] | add) == .duration_ns) and
    ([.phases.decode.sections[].name | select(. != "between_sections")] ==
        ["token_1", "token_2", "token_3", "token_4"])' out >/dev/null ||
    fail 'sections and phases are not all of the time'

# Without --store-prompts a token has its times, and not what it is.
generate "$llama" --prompt 'Hello' --max-tokens 3 || fail "$(cat err)"
"$ortmeter" report last --db t.db --json |
    jq -e '.tokens.items | length == 3 and all(.[]; .probability > 0 and
        .duration_ms > 0 and (has("id") or has("text") | not))' >/dev/null ||
    fail 'tokens that are not to be kept'

# --- what is wrong -------------------------------------------------------------------

mkdir empty broken
refuses 'empty has no model that could make text' empty --prompt x
refuses 'is no folder' nothing --prompt x
ln -s "$llama"/* broken/ && rm broken/tokenizer.json
refuses 'has no tokenizer.json' broken --prompt x
echo '{"model":{"type":"Morse"}}' >broken/tokenizer.json
refuses "tokenizer.json: its model 'Morse' is not known" broken --prompt x
refuses 'token 5000 of the prompt is none of the model' "$llama" --tokens 5000
refuses "the model's context holds" "$llama" --tokens 1 --context 4000
rm broken/config.json && echo '[' >broken/config.json
refuses 'its config.json is no JSON object' broken --tokens 1
refuses 'of the prompt is none of the model, which has 1000' "$gpt2" \
    --prompt 'Hello world'
cp -r "$zoo/llama/genai-fp32" damaged && chmod -R u+w damaged
tr '\0-\377' '\377' <"$zoo/llama/genai-fp32/model.onnx.data" \
    >damaged/model.onnx.data # no numbers
refuses 'gave NaN instead of numbers' damaged --tokens 1,2
rm damaged/model.onnx.data
refuses 'model.onnx' damaged --tokens 1,2
refuses 'input_features is not known' "$zoo/whisper/optimum" --tokens 1
refuses 'it makes no text' "$zoo/bert/optimum" --prompt x
older=$npm/ort-1.20/bin/napi-v3/linux/x64/libonnxruntime.so.1.20.1
if [ -e "$older" ]; then # what an older ONNX Runtime refuses, and why
    refuses 'is till opset 21' "$zoo/llama/genai-fp32" --tokens 1 --ort "$older"
    refuses 'has input size 11 not in range [min=7, max=9]' \
        "$zoo/qwen2/genai11-fp32" --tokens 1 --ort "$older"
fi
refuses 'its chat template refuses' "$zoo/gemma2/optimum" --chat --system a \
    --prompt b
