#!/bin/bash
# What is pushed while a program runs: it arrives whole and packed, as protobuf
# and as JSON; and whatever the receiver does, the program and the run are
# unharmed, and the report says what did not arrive.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

need_tool sqlite3
[ -d "$npm/protobufjs" ] || skip "there is no protobufjs: tools/deps.sh test"
export NPM=$npm

# A receiver for this test only; leaves its address in `at`.
receive() { # mode...
    local listening
    rm -rf got log
    mkdir got
    : >log
    node "$here/receiver.cjs" got "$@" >log &
    receiver=$!
    await test -s log
    read -r listening <log
    at=http://127.0.0.1:$listening
}

stop_receiver() {
    kill "$receiver"
    wait "$receiver" 2>/dev/null || true
}

# Three prompts of 7 tokens, each with 11 more: 33 inferences.
pushed() { # options...
    meter_options=("$@")
    compare node "$here/decode.cjs" "$npm/onnxruntime-node" \
        "$models/decoder" 3 7 11
    [ "$rc" -eq 0 ] || fail "exit code $rc"
    counted 33
}

newest() { # what is in the name
    find got -name "*.$1" | sort -V | tail -n 1
}

said() { # file, jq's condition
    jq -e "$2" "$1" >out || fail "not so in $1: $2"
}

note() {
    field '.run.note // ""'
}

# The last figures, and the spans of all requests together.
arrived() { # protobuf or json
    if [ "$1" = json ]; then
        jq -ces 'add' "$(newest _v1_metrics)" >metrics.json
        said metrics.json '[.. | .metrics? // empty] | add
            | any(.name == "ortmeter.inferences" and
                .sum.dataPoints[0].asDouble == 33)'
        find got -name '*._v1_traces' -exec cat {} + | jq -s '
            [.[] | .. | .spans? // empty] | add' >spans.json
        said spans.json 'length == 38'
        return
    fi
    node "$here/otlp.cjs" metrics "$(newest _v1_metrics)" >metrics.json ||
        fail "the metrics are not sound"
    said metrics.json 'any(.name == "ortmeter.inferences" and .value == 33)'
    said metrics.json 'any(.name == "gen_ai.server.time_to_first_token" and
        .count == 3)'
    said metrics.json 'all(.resource["service.name"] == "tested")'
    # What is sampled, too.
    said metrics.json 'any(.name == "process.memory.usage" and .unit == "By" and
        .value > 1e6 and .attributes["process.pid"] != null)'
    find got -name '*._v1_traces' | sort -V | xargs cat >all.pb
    node "$here/otlp.cjs" traces all.pb >spans.json ||
        fail "the spans are not sound"
    # The run, a session, three texts, the inferences.
    said spans.json 'length == 38'
}

export OTEL_SERVICE_NAME=tested OTEL_EXPORTER_OTLP_HEADERS='x-token=a b,bad'

receive good
pushed --otlp "$at" --push-interval 0.1
[ "$(note)" = '' ] || fail "there is something to say: $(note)"
arrived protobuf
grep -q 'good gzip application/x-protobuf a b$' log || fail "headers: $(cat log)"
[ "$(grep -c v1/metrics log)" -ge 2 ] || fail "only the last figures were sent"
stop_receiver

# Eight texts at once: the time of a token is that of one text, not an eighth.
receive good
meter_options=(--otlp "$at" --ops off)
meter "$programs/generate" "$models/decoder/model.onnx" threads 8 24 60 2 2 16
[ "$rc" -eq 0 ] || fail "exit code $rc"
node "$here/otlp.cjs" metrics "$(newest _v1_metrics)" >metrics.json ||
    fail "the metrics are not sound"
said metrics.json "map(select(.name == \"gen_ai.server.time_per_output_token\"))
    | length == 1 and .[0].count == 472 and
    (.[0].sum / 472 * 1e3 / $(field .tokens.tpot_ms) - 1 | fabs) < 1e-6"
said metrics.json "any(.name == \"gen_ai.server.time_to_first_token\" and
    .count == 8 and (.sum / 8 * 1e3 / $(field .tokens.ttft_ms) - 1 | fabs) < 1e-6)"
stop_receiver

receive good
pushed --otlp "$at/v1/metrics" --otlp-encoding json
! grep -q 'v1/metrics/v1' log || fail "the path is there twice"
stop_receiver

receive good
pushed --otlp "$at/" --otlp-encoding json --push-interval 0.1
arrived json
stop_receiver

# Tried again: after the pause that is asked for, after a failure that passes,
# and over a new connection.
receive 429 503 broken good
pushed --otlp "$at"
[ "$(note)" = '' ] || fail "there is something to say: $(note)"
arrived protobuf
stop_receiver

# An answer that is noise is an answer.
receive garbage
pushed --otlp "$at"
[ "$(note)" = '' ] || fail "there is something to say: $(note)"
arrived protobuf
stop_receiver

# Refused in part, and why.
receive partial
pushed --otlp "$at" --push-interval 100
grep -q '^7 of [0-9]* figures did not get to http.* it says: no\.' \
    <<<"$(note)" || fail "nothing of what was refused: $(note)"
stop_receiver

# Never tried again.
receive 400
pushed --otlp "$at" --remote-write "$at/write" --push-interval 100
[ "$(wc -l <log)" -eq 4 ] || fail "it was tried again: $(cat log)"
grep -q 'figures did not get to .*status 400' <<<"$(note)" ||
    fail "nothing of the figures: $(note)"
grep -q '38 of 38 spans did not get to .*status 400' <<<"$(note)" ||
    fail "nothing of the spans: $(note)"
grep -q 'samples did not get to .*/write: .*status 400' <<<"$(note)" ||
    fail "nothing of the samples: $(note)"
stop_receiver

# Nobody there; silence; always 500: the run is as ever, and says so.
pushed --otlp http://user:secret@127.0.0.1:1
grep -q 'figures did not get to http://127.0.0.1:1: ' <<<"$(note)" ||
    fail "nothing of nobody being there: $(note)"
! grep -q secret run.json || fail "the password is in the report"

receive silent
pushed --otlp "$at" --remote-write "$at/write" --push-interval 0.1
grep -q 'figures did not get to' <<<"$(note)" || fail "silence: $(note)"
grep -q 'samples did not get to' <<<"$(note)" || fail "silence: $(note)"
stop_receiver

receive 500
pushed --remote-write "$at/write"
grep -q 'samples did not get to .*status 500' <<<"$(note)" ||
    fail "500: $(note)"
[ "$(grep -c write log)" -ge 2 ] || fail "500 was not tried again"
stop_receiver

# The program's own exit code, also then.
meter_options=(--otlp http://127.0.0.1:1)
meter sh -c 'exit 7'
[ "$rc" -eq 7 ] || fail "exit code $rc, not 7"

# `watch` sends what it samples, and says nothing of what it does not look at.
receive good
rc=0
"$ortmeter" watch --otlp "$at" --remote-write "$at/write" --push-interval 0.1 \
    --duration 1 --json --pid $$ >lines 2>err || rc=$?
[ "$rc" -eq 0 ] || fail "exit code $rc: $(cat err)"
[ ! -s err ] || fail "there is something to say: $(cat err)"
[ "$(grep -c v1/metrics log)" -ge 2 ] || fail "only the last figures were sent"
[ "$(grep -c '/write' log)" -ge 2 ] || fail "only the last samples were sent"
! grep -q v1/traces log || fail "there are spans of nothing"
node "$here/otlp.cjs" metrics "$(newest _v1_metrics)" >metrics.json ||
    fail "the metrics are not sound"
said metrics.json "any(.name == \"process.memory.usage\" and .value > 1e6 and
    (.attributes[\"process.pid\"] | tonumber) == $$)"
said metrics.json 'any(.name | startswith("ortmeter.collector"))'
said metrics.json 'all(.name | test("inference|lost_events|token") | not)'
stop_receiver

rc=0
"$ortmeter" watch --otlp http://127.0.0.1:1 --json -- sh -c 'exit 7' >lines \
    2>err || rc=$?
[ "$rc" -eq 7 ] || fail "exit code $rc, not 7"
grep -q '^ortmeter watch: .*did not get to http://127.0.0.1:1' err ||
    fail "nothing of nobody being there: $(cat err)"

for bad in localhost:4318 ftp://localhost 'http://' 'http://a b' http://:80; do
    rc=0
    "$ortmeter" run --db t.db --otlp "$bad" true 2>err || rc=$?
    [ "$rc" -eq 2 ] || fail "exit code $rc for $bad"
    grep -q -- '--otlp takes an address' err || fail "$(cat err)"
done
rc=0
"$ortmeter" run --db t.db --otlp http://localhost --push-interval 0 true \
    2>err || rc=$?
[ "$rc" -eq 2 ] || fail "exit code $rc for no interval"
