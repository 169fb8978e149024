#!/bin/bash
# TensorBoard's event files, read by another's decoder with another's checksums:
# every inference is a scalar, and the histograms hold each of them once.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

need_tool sqlite3
[ -d "$npm/protobufjs" ] || skip "there is no protobufjs: tools/deps.sh test"
export NPM=$npm

meter_options=(--ops off)
meter node "$here/infer.cjs" "$npm/onnxruntime-node" "$silero" 331 \
    "${silero_inputs[@]}"
[ "$rc" -eq 0 ] || fail "node failed"
"$ortmeter" export --db t.db -f tensorboard -o events.out.tfevents.1 2>err ||
    fail "there is no file: $(cat err)"
node "$here/tensorboard.cjs" events.out.tfevents.1 >events.json 2>err ||
    fail "the file is not sound"

tag='inference_duration_seconds/1 silero_vad_v5'
sqlite3 -json t.db "SELECT duration_ns FROM inferences ORDER BY number" |
    jq -c '[.[].duration_ns]' >durations.json
jq -e --arg tag "$tag" --slurpfile want durations.json '
    [.scalars[$tag] | to_entries[] | select(.value[0] == .key + 1)
        | .value[1]] as $got
    | ($got | length) == 331 and
      all(range(331); ($got[.] * 1e9 - $want[0][.] | fabs) <=
          $want[0][.] * 1e-6)' events.json >out ||
    fail "the scalars are not the inferences"
jq -e --arg tag "$tag" --slurpfile want durations.json '
    .histograms[$tag] as $h
    | ($h | length) <= 30 and ($h | map(.[1]) | add) == 331 and
      ($h | map(.[2]) | min) * 1e9 - ($want[0] | min) < 1 and
      ($h | map(.[3]) | max) * 1e9 - ($want[0] | max) < 1 and
      (($h | map(.[4]) | add) * 1e9 - ($want[0] | add) | fabs) < 1000' \
    events.json >out || fail "the histograms are not of the inferences"
jq -e --argjson p99 "$(field .latency.p99_us)" '
    .scalars["run/inference_duration_p99_seconds"][0][1] * 1e6 - $p99
        | fabs < 0.01 * $p99' events.json >out || fail "p99 is another"

# What tracing slowed is a scalar, as the program saw it, and in no histogram
# where it is in no report.
meter_options=(--ops 3)
meter "$programs/linked" "$models/mlp.onnx" 331
"$ortmeter" export --db t.db -f tensorboard -o events.out.tfevents.2
node "$here/tensorboard.cjs" events.out.tfevents.2 >events.json
jq -e --argjson counted "$(field '.latency | .counted // .count')" '
    (.scalars["inference_duration_seconds/1 mlp"] | length) == 331 and
    (.histograms["inference_duration_seconds/1 mlp"] | map(.[1]) | add) ==
        $counted' events.json >out || fail "the histograms count others"
