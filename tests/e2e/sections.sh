#!/bin/bash
# A program that tells the meter what it does; and the same with nobody there.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$BUILD
plain "$programs/sections" "$models/mlp.onnx" 53
[ "$plain_rc" -eq 0 ] || fail "it fails without the meter: $(cat plain.err)"
[ "$(tail -n 1 plain.out)" = 'listening 0' ] || fail "somebody listens?"

meter "$programs/sections" "$models/mlp.onnx" 53
[ "$rc" -eq 0 ] || fail "it fails under the meter"
[ "$(tail -n 1 out)" = 'listening 1' ] || fail "nobody listens"
cmp <(head -n 1 plain.out) <(head -n 1 out) || fail "other results"
counted 53
is '[.sections | sort_by(.name)[] | .name, .phase, .count] | tostring' \
    '["all","decode",1,"load","pre_inference",1,"one \"quoted\"","decode",53]'
holds '.sections | map({(.name): .total_ms}) | add
    | .all >= .["one \"quoted\""] and .load > 0'
is .tokens.count 53
is '.tokens.items | map(.id) == [range(100; 153)]' true
is '.tokens.items[0].text' é
is '.tokens.items[1] | has("text")' false
is '[.marks[].text] | tostring' '["loaded"]'
is '[.threads[].name] | tostring' '["the only one"]'
is '.batch_context | .batch_size.mean, .padding.mean, .queue_depth.mean' \
    $'8\n3\n5'
