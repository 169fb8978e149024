#!/bin/bash
# Inferences and sessions that fail: the program gets ONNX Runtime's own
# sentences, and the meter counts them apart.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

compare "$programs/failing" "$models/mlp.onnx" 101
[ "$rc" -eq 0 ] || fail "the program failed"
grep -q 'Invalid input name: nobody' out || fail "the sentence is not there"
is .latency.count 303 # with those that failed
is .latency.failed 202
is '.sessions[0].latency.failed' 202
is '[.sessions[] | select(.error)] | length' 2
is '.errors[] | select(.text | contains("Invalid input name: nobody")).count' \
    101
is .lost_events 0
