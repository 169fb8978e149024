#!/bin/bash
# Texts made in many ways: what the report says of them is what the program's
# own clock says, within 2 % or 20 us.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

model=$models/decoder/model.onnx
data=$SRC/../shared/data/llm/models
meter_options+=(--buffer 524288) # nothing is lost, however late we are

# What the program's own clock says (generations.cjs) must be what is reported.
# A machine that takes the CPU away between the two clocks does not do so at the
# same moments in each of some runs: what is wrong is wrong in all of them.
made() { # way, texts, prompt, tokens
    local attempt
    for attempt in 1 2 3 4 5 6; do
        ! once "$@" || return 0
    done
    fail "$1: not what the program's own clock says, in $attempt runs"
}

once() { # way, texts, prompt, tokens
    local verdict=0
    meter "$programs/generate" "$model" "$@" 2 2 16
    [ "$rc" -eq 0 ] || fail "the program failed"
    is .lost_events 0
    # Traced: FLAG_PROFILED or FLAG_TRACED of wire/record.h.
    sqlite3 -json t.db "SELECT thread, start_mono_ns + start_ns AS start,
        start_mono_ns + start_ns + i.duration_ns AS end,
        flags & (256 + 4096) > 0 AS traced
        FROM inferences i JOIN profiling_runs r ON r.id = run
        WHERE run = (SELECT max(id) FROM profiling_runs)
        ORDER BY start_ns" >inferences.json
    node "$here/generations.cjs" out run.json inferences.json "$1" || verdict=$?
    [ $verdict -eq 0 ] || [ $verdict -eq 3 ] ||
        fail "$1: not what the program knows of its texts"
    return $verdict
}

made threads 8 24 60
is .tokens.count 480
is .tokens.generations 8
is .phases.prefill.count 8
[ "$(sqlite3 t.db 'SELECT count(*), count(duration_ns), max(token_index)
    FROM tokens WHERE run = (SELECT max(run) FROM tokens)')" = "480|480|59" ] ||
    fail "not one row for each token"

made turns 10 24 60
is .tokens.count 600
holds '.tokens | .ttft_p50_ms <= .ttft_p90_ms and .ttft_p90_ms <= .ttft_p99_ms'
holds '.tokens | .tpot_p50_ms <= .tpot_p90_ms and .tpot_p90_ms <= .tpot_p99_ms'

made parts 3 48 60
is .phases.prefill.count 9
is .tokens.count 180

# Of the last step nobody says how many of its drafts were right.
made drafts 2 24 240
is .phases.prefill.count 2

made batch 4 24 60
is .tokens.count 240
is .phases.decode.count 59

# A phase does not vanish because all of it was traced; what tracing slowed is
# left out where others are there, else it is marked.
meter_options+=(--ops 1)
made threads 8 24 60
is .phases.prefill.count 8
is .phases.decode.count 472
holds '.latency.slowed_by_tracing == .latency.traced or
    (.latency | has("slowed_by_tracing") | not)'
meter_options=("${meter_options[@]:0:${#meter_options[@]}-2}")

# Many at once on a pool of threads: each step on another, and copied caches.
meter_options+=(--ops off) # all steps count
meter node "$here/decode_many.cjs" "$npm/onnxruntime-node" "$models/decoder" \
    8 17 29
[ "$rc" -eq 0 ] || fail "the program failed"
is .tokens.count $((8 * 29))
is .tokens.generations 8
holds ".tokens.tpot_ms as \$ms | $(cat out) |
    .least_ms <= \$ms + 0.02 and \$ms <= .most_ms + 0.02"

# Encoder and decoder.
[ -d "$data/t5" ] || skip "there is no $data/t5 here"
for split in 0 1; do
    meter node "$here/encoded.cjs" "$npm/onnxruntime-node" "$data/t5/optimum" \
        3 11 2 16 2 $split
    [ "$rc" -eq 0 ] || fail "the program failed: $(cat err)"
    is .tokens.generations 3
    is .tokens.count 33
    # From the encoder's start to the decoder's first end, of each.
    db() { sqlite3 t.db "$1"; }
    run=$(db 'SELECT max(id) FROM profiling_runs')
    [ "$(db "SELECT count(*) FROM inferences WHERE run = $run
        AND lead_ns > 0 AND phase = 2")" = 3 ] || fail "no encoder's time"
    holds "(.tokens.ttft_ms - $(db "SELECT avg(lead_ns + duration_ns) / 1e6
        FROM inferences WHERE run = $run AND lead_ns > 0") | fabs) < 0.001"
done

