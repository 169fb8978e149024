#!/bin/bash
# OTLP in files: protobuf, read by another's decoder with the official numbers;
# JSON, which says the same; figures and spans that are the report's.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

need_tool sqlite3
[ -d "$npm/protobufjs" ] || skip "there is no protobufjs: tools/deps.sh test"
export NPM=$npm

exported() { # metrics or traces; leaves it in $1.json
    "$ortmeter" export --db t.db -f otlp --shape "$1-protobuf" -o "$1.pb" ||
        fail "there are no $1"
    "$ortmeter" export --db t.db -f otlp --shape "$1" -o "$1.jsonl" ||
        fail "there are no $1 as JSON"
    node "$here/otlp.cjs" "$1" "$1.pb" "$1.jsonl" >"$1.json" 2>err ||
        fail "$1 are not sound: $(head -n 20 err)"
}

said() { # file, jq's condition
    jq -e "$2" "$1" >out || fail "not so in $1: $2"
}

# Three prompts of 7 tokens, each with 11 more.
meter_options=(--ops all)
meter node "$here/decode.cjs" "$npm/onnxruntime-node" "$models/decoder" 3 7 11
[ "$rc" -eq 0 ] || fail "node failed"
exported metrics
exported traces
cat metrics.jsonl traces.jsonl | cmp - <("$ortmeter" export --db t.db -f otlp) ||
    fail "both together are something else"

said metrics.json 'any(.name == "gen_ai.server.time_to_first_token" and
    .count == 3 and .unit == "s" and .bounds[0] == 0.001 and
    .attributes["gen_ai.operation.name"] == "text_completion" and
    .attributes["gen_ai.request.model"] == "decoder/model")'
said metrics.json 'any(.name == "gen_ai.server.time_per_output_token" and
    .count == 30)'
said metrics.json 'any(.name == "ortmeter.tokens" and .value == 33)'
said metrics.json 'any(.name == "ortmeter.inferences" and .kind == "sum" and
    .value == 33)'
said metrics.json "any(.name == \"ortmeter.inference_duration_p99\" and
    (.value * 1e6 - $(field .latency.p99_us) | fabs) < 0.001)"
said metrics.json 'all(.resource["service.name"] == "node" and
    .resource["service.instance.id"] != null)'

sum=$(sqlite3 t.db 'SELECT sum(duration_ns) FROM inferences')
said metrics.json "any(.name == \"ortmeter.inference_duration\" and
    .count == 33 and (.sum * 1e9 - $sum | fabs) < 1)"

operators=$(sqlite3 t.db 'SELECT count(*) FROM operator_runs')
said traces.json "length == 1 + 1 + 3 + 33 + $operators"
said traces.json 'map(select(.name == "text_completion decoder/model"))
    | length == 3 and all(.attributes["gen_ai.usage.input_tokens"] == 7 and
        .attributes["gen_ai.usage.output_tokens"] == 11)'
# A generation has its prefill and its decodes.
# shellcheck disable=SC2016 # jq's own $
said traces.json '(map(select(.name == "text_completion decoder/model").id)
    | map({(.): true}) | add) as $texts
    | map(select($texts[.parent]) | .name) | group_by(.)
    | map([.[0], length]) == [["decode decoder/model", 30],
        ["prefill decoder/model", 3]]'
said traces.json 'map(select(.parent == "")) | length == 1 and
    .[0].name == "run"'

# Errors are statuses.
meter_options=()
export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$BUILD
meter "$programs/failing" "$models/mlp.onnx" 5
exported traces
failed=$(sqlite3 t.db 'SELECT count(*) FROM inferences WHERE flags & 1 AND
    run = (SELECT max(id) FROM profiling_runs)')
[ "$failed" -gt 0 ] || fail "nothing failed"
said traces.json "map(select(.error[0] == 2)) | length == $failed"
