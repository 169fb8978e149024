#!/bin/bash
# generate_deep.sh -- `ortmeter generate --depth deep`: values, heads of attention
# and the steps of components, as sums in doubles say; and that an unmodified
# program under --stats leaves the same tables.
# shellcheck source=tests/e2e/lib.sh
. "${SRC:-$PWD}/tests/e2e/lib.sh"

[ -n "${DATA:-}" ] || skip "there is no ../shared/data with language models"
newest=$BUILD/ort/1.31.1/libonnxruntime.so
[ -e "$newest" ] || skip "there is no ONNX Runtime 1.31.1: tools/deps.sh test"
need_tool sqlite3
zoo=$DATA/llm/models

# --- a program that nobody changed --------------------------------------------

# What it prints is what it prints without us; layers have values, and attention
# its heads.
arguments=("$here/decode.cjs" "$npm/onnxruntime-node" "$models/decoder" 1 8 12)
node "${arguments[@]}" >alone || fail 'the program failed'
"$ortmeter" run --ops all --stats 2 --quiet --db watched.db -- node "${arguments[@]}" \
    >out 2>err || fail "the program failed: $(cat err)"
cmp alone out || fail 'its results are others'
[ "$(sqlite3 watched.db 'SELECT count(*) = 2 AND min(activation_mean > 0) FROM
    layer_metrics WHERE token_id IS NULL')" = 1 ] || fail 'nothing left a layer'
[ "$(sqlite3 watched.db 'SELECT count(*) = 2 AND min(d.attention_entropy > 0) FROM
    deep_operation_metrics d JOIN component_metrics c ON c.id = d.component_metric_id
    JOIN layer_metrics l ON l.id = c.layer_metric_id WHERE l.token_id IS NULL AND
    d.attention_entropy_per_head IS NOT NULL AND graph IS NULL')" = 1 ] ||
    fail 'attention has no heads'

# --- what cannot be seen -------------------------------------------------------

"$ortmeter" generate "$zoo/llama/genai-fp32" --ort "$newest" --db genai.db --tokens 5,6,7 \
    --max-tokens 2 --depth deep --json --rate 0 --energy off >out 2>err || fail "$(cat err)"
[ "$(sqlite3 genai.db "SELECT count(*) > 0 AND max(attention_entropy) IS NULL FROM
    deep_operation_metrics d JOIN texts t ON t.id = d.operation_type JOIN texts n
    ON n.id = d.operation_name WHERE t.text = 'attention' AND n.text = 'fused'")" = 1 ] ||
    fail 'attention in one operator is not told as such'
"$ortmeter" report last --db genai.db | grep 'attention is one operator' >/dev/null ||
    fail 'the report does not say what cannot be seen'
code=0
"$ortmeter" generate "$zoo/llama/optimum" --ort "$newest" --db t.db --tokens 1 --tokens 2 \
    --depth deep >out 2>err || code=$?
[ "$code" -eq 2 ] || fail "took two prompts: $(cat err)"
grep -q 'takes one prompt' err || fail "says another thing: $(cat err)"

# --- against doubles -----------------------------------------------------------

wheel=$BUILD/python/3.11-1.31.1
[ -d "$wheel" ] || skip "there is no onnxruntime 1.31.1 for Python 3.11: tools/deps.sh python"
python=$("$SRC/tools/find_python.sh" 3.11) || skip "there is no Python 3.11"
PYTHONPATH=$wheel "$python" "$here/generate_deep.py" "$ortmeter" "$newest" "$zoo" ||
    fail 'other values'
"$ortmeter" report last --db llama.db >report.txt || fail 'no report'
for part in 'unfused graph' 'layer 1 .* nats'; do
    grep -q "$part" report.txt || fail "the report has no $part: $(cat report.txt)"
done
