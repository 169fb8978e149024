#!/bin/bash
# Power that is pushed while a program runs has the phase that the stored
# samples of the same time have; in OTLP, and in Prometheus, which keeps it all.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

need_tool sqlite3
need_tool prometheus
need_tool curl
[ -d "$npm/protobufjs" ] || skip "there is no protobufjs: tools/deps.sh test"
export NPM=$npm LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$BUILD

listens() {
    curl -sf "http://127.0.0.1:$prometheus/-/healthy" >out
}

mkdir got
: >log
node "$here/receiver.cjs" got good >log &
await test -s log
read -r otlp <log
prometheus=$(free_port)
echo 'scrape_configs: []' >prometheus.yml
prometheus --config.file=prometheus.yml --storage.tsdb.path=tsdb \
    --web.enable-remote-write-receiver \
    --web.listen-address="127.0.0.1:$prometheus" >prometheus.log 2>&1 &
await listens

# A meter that shows something else in every line, for the next minutes.
awk -v now="$(date +%s)" 'BEGIN {
    for (i = 0; i < 8000; i++)
        printf "%d.%02d0 %.2f\n", now + int(i / 20), i % 20 * 5, 40 + i % 97 / 4
}' >meter.txt

# Prefill, nothing, decode, and what a program says of itself.
cat >program <<'END_OF_PROGRAM'
node "$1/decode.cjs" "$2/onnxruntime-node" "$3/decoder" 200 64 1
sleep 0.5
node "$1/decode.cjs" "$2/onnxruntime-node" "$3/decoder" 3 7 500
"$4/sections" "$3/mlp.onnx" 1500
END_OF_PROGRAM
meter_options=(--meter meter.txt --meter-offset 0 --push-interval 0.2
    --otlp "http://127.0.0.1:$otlp"
    --remote-write "http://127.0.0.1:$prometheus/api/v1/write")
meter sh program "$here" "$npm" "$models" "$programs"
[ "$rc" -eq 0 ] || fail "exit code $rc"
[ "$(field '.run.note // ""')" = '' ] || fail "$(field .run.note)"

for file in $(find got -name '*_v1_metrics' | sort -V); do
    node "$here/otlp.cjs" metrics "$file" | jq -c \
        '[.[] | select(.name == "hw.power")]' || fail "$file is not sound"
done >live.json
sqlite3 -json t.db 'SELECT timestamp AS time_ns, ifnull(phase, 0) AS phase
    FROM power_samples ORDER BY number' >stored.json
curl -sfG --data-urlencode \
    "query=ortmeter_zone_power_watts{run=\"$(field .run.id)\"}[1h]" \
    "http://127.0.0.1:$prometheus/api/v1/query" >prometheus.json

cat >check.cjs <<'END_OF_CHECK'
const assert = require('node:assert');
const fs = require('node:fs');
const json = (file) => JSON.parse(fs.readFileSync(file));
const names = ['other', 'pre_inference', 'prefill', 'decode',
    'post_inference', 'idle'];
const start = BigInt(process.argv[2]);
const pushes = fs.readFileSync('live.json', 'utf8').trim().split('\n')
    .map((line) => JSON.parse(line));
const live = pushes.flat().map((p) => ({
    ns: BigInt(p.time), watts: p.value, phase: p.attributes['ortmeter.phase'],
}));
assert(pushes.filter((p) => p.length).length > 1, 'all came at the end');

// By the tenth of a second, each once, and all that is stored.
const step = (ns) => Number(ns / 100000000n);
const phases = new Map(live.map((p) => [step(p.ns - start), p.phase]));
assert.strictEqual(phases.size, live.length, 'twice in a tenth of a second');
const count = {};
const stored = json('stored.json');
for (const s of stored) {
    const at = step(BigInt(s.time_ns));
    // The last may be too short for a line of the meter.
    if (s === stored.at(-1) && !phases.has(at))
        continue;
    assert.strictEqual(phases.get(at), names[s.phase], `at ${at / 10} s`);
    count[names[s.phase]] = (count[names[s.phase]] ?? 0) + 1;
}
for (const phase of ['prefill', 'decode', 'idle'])
    assert(count[phase] > 2, `hardly any ${phase}: ${JSON.stringify(count)}`);

// Prometheus has the same, to the millisecond.
const line = (ms, watts, phase) => `${ms} ${watts} ${phase}`;
const kept = json('prometheus.json').data.result.flatMap((r) => r.values.map(
    ([s, watts]) => line(Math.round(s * 1000), Number(watts), r.metric.phase)));
assert.deepStrictEqual(kept.sort(),
    live.map((p) => line(p.ns / 1000000n, p.watts, p.phase)).sort());
console.log(live.length, pushes.length, JSON.stringify(count));
END_OF_CHECK
node check.cjs "$(sqlite3 t.db \
    'SELECT timestamp FROM profiling_runs')" \
    >out 2>err || fail "what was sent is not what is stored"
