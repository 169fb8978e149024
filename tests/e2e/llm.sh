#!/bin/bash
# A language model's program, unmodified: prompt and tokens are told apart.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

requests=3 prompt=17 tokens=29
compare node "$here/decode.cjs" "$npm/onnxruntime-node" "$models/decoder" \
    $requests $prompt $tokens
[ "$rc" -eq 0 ] || fail "the program failed"
counted $((requests * tokens))
is .phases.prefill.count $requests
is .phases.decode.count $((requests * (tokens - 1)))
is .tokens.count $((requests * tokens))
holds '.tokens | .ttft_ms > 0 and .tpot_ms > 0 and .tokens_per_s > 0'

# A prompt of one token has no past either: it is a prompt all the same.
compare node "$here/decode.cjs" "$npm/onnxruntime-node" "$models/decoder" \
    2 1 5
is .phases.prefill.count 2
is .phases.decode.count 8

# A model that is none of language has no such figures, rather than zeros.
meter "$programs/linked" "$models/mlp.onnx" 11
holds '(has("phases") or has("tokens")) | not'

# Its tokens are in the tables that `generate` fills: those whose operators were
# kept have their layers, which with the gaps are the layers' time.
need_tool sqlite3
"$ortmeter" run --ops all --quiet --db watched.db -- node "$here/decode.cjs" \
    "$npm/onnxruntime-node" "$models/decoder" 1 8 12 >out 2>err ||
    fail "the program failed: $(cat err)"
[ "$(sqlite3 watched.db 'SELECT count(*) > 0 AND min(layers_ns = between_ns +
    outside_ns + (SELECT sum(duration_ns) FROM layer_metrics l
    WHERE l.token_id = t.number)) FROM tokens t WHERE layers_ns')" = 1 ] ||
    fail "no token has layers, or they are not its layers' time"
[ "$(sqlite3 watched.db 'SELECT count(*) FROM tokens')" = 12 ] ||
    fail "other tokens are stored than were made"
