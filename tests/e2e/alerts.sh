#!/bin/bash
# alerts.sh -- alerts of run, bench and generate: their exit codes, rules from
# a configuration, a webhook that answers late, and what is left in the database
# for servers that come and go.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
need_tool curl
need_tool sqlite3

always='inference_duration_seconds > 1us trouble'
never='inference_duration_seconds > 1h'
export ORTMETER_DB=$TMPDIR/t.db XDG_STATE_HOME=$TMPDIR/state
export XDG_RUNTIME_DIR=$TMPDIR/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"

code() { # command...
    rc=0
    "$@" >out 2>err || rc=$?
    echo "$rc"
}

expect() { # exit code, command...
    local got
    got=$(code "${@:2}")
    [ "$got" = "$1" ] || fail "exit code $got, not $1: ${*:2}"
}

# --- exit codes -----------------------------------------------------------------

bench=("$ortmeter" bench "$models/convnet.onnx" --count 20 --warmup 0 --ops off)
expect 0 "${bench[@]}" --alert "$never"
expect 3 "${bench[@]}" --alert "$always" --alert "$never"
grep -q "^ortmeter: alert: $always" err || fail "bench says nothing"
[ "$(sqlite3 t.db 'SELECT count(*) FROM alerts')" = 1 ] ||
    fail "one alert, and no more, belongs into the table"

if [ -n "${DATA:-}" ] && [ -e "$BUILD/ort/1.31.1/libonnxruntime.so" ]; then
    generate=("$ortmeter" generate "$DATA/llm/models/llama/optimum"
        --ort "$BUILD/ort/1.31.1/libonnxruntime.so" --prompt Hello
        --max-tokens 4)
    expect 0 "${generate[@]}" --alert "$never"
    expect 3 "${generate[@]}" --alert "$always"
fi

# --- rules of a configuration ---------------------------------------------------

# `run` keeps the exit code of its program, and says it.
mkdir project
cat >project/ortmeter.toml <<END
[run]
alert = ["$always", "$never"]
[bench]
alert = "$always"
END
(cd project && expect 3 "${bench[@]}")
cat >project/app.cjs <<END
const ort = require('$npm/onnxruntime-node');
(async () => {
    const s = await ort.InferenceSession.create('$models/convnet.onnx',
        {logSeverityLevel: 3});
    const x = new ort.Tensor('float32', new Float32Array(12288), [1, 3, 64, 64]);
    for (let i = 0; i < 20; i++)
        await s.run({input: x});
    process.exit(7);
})();
END
(cd project && expect 7 "$ortmeter" run --ops off -- node app.cjs)
grep -q "^ortmeter: alert: $always" project/err || fail "run says nothing"
"$ortmeter" report >said
grep -q "^trouble *alert: $always" said || fail "the report does not begin so"

# --- a webhook that is not there at first ---------------------------------------

mkdir got
: >log
node "$here/receiver.cjs" got 503 broken good >log &
await test -s log
read -r port <log
expect 3 "${bench[@]}" --alert "$always" --webhook "http://127.0.0.1:$port/hook"
[ "$(find got -type f | wc -l)" = 1 ] || fail "it did not arrive once: $(cat log)"
jq -e --arg rule "$always" '.event == "alert" and .rule == $rule and
    .severity == "trouble" and .value > .threshold' \
    got/3._hook >out || fail "$(cat got/3._hook)"
! grep -q 'did not get to' err || fail "it is said to be lost: $(cat err)"

# --- servers that come and go ---------------------------------------------------

serve() {
    rm -f server.err
    "$ortmeter" serve --port 0 >server.out 2>server.err &
    server=$!
    await is_serving server.err
}

told=
for turn in first second; do
    serve
    curl -s "$base/api/events?kind=alert" >events.json
    jq -e --arg rule "$always" '.total == 1 and (.events[0] |
        .rule == $rule and .severity == "trouble" and .kind == "alert" and
        .metric == "inference_duration_seconds")' events.json >out ||
        fail "$turn server: $(cat events.json)"
    curl -s "$base/api/findings" | jq -e --arg rule "alert: $always" \
        '.findings[0] | .rule == "alert" and (.text | startswith($rule))' \
        >out || fail "$turn server: no such finding"
    [ -z "$told" ] || [ "$told" = "$(jq -r '.events[0].id' events.json)" ] ||
        fail "another server tells another alert"
    told=$(jq -r '.events[0].id' events.json)
    kill "$server"
    wait "$server" || true
done
[ "$(find got -type f | wc -l)" = 1 ] || fail "a server told it again"
