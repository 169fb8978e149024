#!/bin/bash
# Text generated from Python: prompts, tokens and their times are what the
# program's own clock says.
. "$(dirname "$0")/lib.sh"
. "$here/python_lib.sh"

use_python 3.11
llama=${DATA:-$SRC/../shared/data}/llm/models/llama/optimum/model.onnx
[ -e "$llama" ] || skip "there is no $llama"
# Tracing an inference adds to it, in between the program's clock and ours.
meter_options+=(--quiet --ops off)

requests=15 tokens=20
for prompt in 17 150; do
    compare "$python" "$programs_py/decode.py" "$llama" $requests $prompt $tokens
    [ "$rc" -eq 0 ] || fail "the program failed"
    counted $((requests * tokens))
    is .phases.prefill.count $requests
    is .phases.decode.count $((requests * (tokens - 1)))
    is .tokens.count $((requests * tokens))
    is .tokens.generations $requests
    is '.sessions[0].batch.max' 1
    "$ortmeter" export --quiet -f jsonl --table inferences --db t.db -o steps.jsonl
    "$python" "$programs_py/same_times.py" steps.jsonl err run.json ||
        fail "not the program's own times"
    rm -f t.db*
done
