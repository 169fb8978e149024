#!/bin/bash
# bench.sh [--json FILE] -- what ortmeter costs the program it measures, and
# what it carries.  Prints a table; FILE (build/bench.json) gets the figures.
#
# Whatever is compared takes turns on the same machine in the same minute, so
# ratios hold where times do not.  A limit that is not held says FAIL in the
# table and nothing else happens: numbers of a busy machine are no verdict on a
# build.  BUILD names another build directory, PYTHON a python3 with psutil.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath "${BUILD:-build}")
python=${PYTHON:-/usr/bin/python3}
json=$build/bench.json
if [ "${1-}" = --json ] && [ $# -eq 2 ]; then
    json=$2
elif [ $# -gt 0 ]; then
    echo "use: $0 [--json FILE]" >&2
    exit 2
fi

export ORT_DISABLE_TELEMETRY=1
tools/deps.sh build run test python bench

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if ! ninja -C "$build" --quiet all bench >"$tmp/ninja.log" 2>&1; then
    cat "$tmp/ninja.log" >&2
    exit 1
fi

bench=$build/bench
hook=$build/libortmeter.so
stub=$bench/libbench_ort.so
npm=$build/npm/node_modules
silero=$npm/@ricky0123/vad-web/dist/silero_vad_v5.onnx
ort=$(find "$npm/onnxruntime-node/bin" -path '*linux/x64/libonnxruntime.so.1*')

step() { # what
    [ ! -t 2 ] || printf '\r\033[K%s' "${1:+bench: $1 ...}" >&2
}

# Runs it under the meter: NAME.json is what it printed, NAME.run.json our
# report.
meter() { # name, command...
    "$build/ortmeter" run --ops off --db "$tmp/bench.db" \
        -o "$tmp/$1.run.json" -- "${@:2}" >"$tmp/$1.json"
}

# The hook is loaded by the program itself, later: see bench/overhead.c.
overhead() { # name, runtime, model, tensors, calls, rounds, pause_us
    step "$1"
    meter "$1" "$bench/unhooked" "$bench/overhead" "$2" "$hook" "${@:3}"
}

measure() {
    overhead silero "$ort" "$silero" 3 1 9600 0
    overhead tensors "$stub" none 3 1000 300 3000
    overhead nothing "$stub" none 0 1000 300 3000
    step python
    "$python" bench/python_timing.py "$stub" >"$tmp/python.json"
    step transport
    "$bench/transport" 7 >"$tmp/transport.json"
    step paced
    meter paced "$bench/paced" "$stub" 100000 5
    step exec
    # In the folder of a collector that listens: else the hook is off.
    # shellcheck disable=SC2016 # the inner shell's
    meter exec "$bench/unhooked" /bin/sh -c \
        '"$0" "$1" "$2" "$ORTMETER_DIR" 1000 /bin/true' \
        "$bench/exec_cost" "$hook" "$bench/libempty.so"
    step sampling
    "$bench/sampling" "$python" bench/psutil_peer.py >"$tmp/sampling.json"
    step export
    "$bench/export" 1000000 5 "$tmp" >"$tmp/export.json"
    node bench/export_duckdb.mjs "$npm" "$tmp" 5 >"$tmp/duckdb.json"
    step store
    "$bench/store" "$tmp" 500000 1000000 >"$tmp/store.json"
    step ''
}

# What a program printed, with what the meter recorded of it.
recorded() { # name
    jq --slurpfile run "$tmp/$1.run.json" '. + {
        recorded: ($run[0].latency.count // 0),
        lost: $run[0].lost_events,
        collector: $run[0].overhead
    }' "$tmp/$1.json"
}

machine() {
    jq -n --arg cpu "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)" \
        --arg kernel "$(uname -r)" --arg cores "$(nproc)" \
        --arg load "$(cut -d ' ' -f 1 /proc/loadavg)" \
        '{cpu: $cpu, cores: ($cores | tonumber), kernel: $kernel,
            load: ($load | tonumber)}'
}

# All figures, and the rows of the table made from them.
collect() {
    jq -n --argjson machine "$(machine)" \
        --argjson silero "$(recorded silero)" \
        --argjson tensors "$(recorded tensors)" \
        --argjson nothing "$(recorded nothing)" \
        --argjson paced "$(recorded paced)" \
        --slurpfile python "$tmp/python.json" \
        --slurpfile transport "$tmp/transport.json" \
        --slurpfile sampling "$tmp/sampling.json" \
        --slurpfile export "$tmp/export.json" \
        --slurpfile duckdb "$tmp/duckdb.json" \
        --slurpfile store "$tmp/store.json" \
        --slurpfile exec "$tmp/exec.json" '{
            export: ($export[0] + {duckdb: $duckdb[0]}),
            schema_version: 1, machine: $machine, silero: $silero,
            empty_run: {tensors: $tensors, nothing: $nothing},
            python: $python[0], transport: $transport[0], paced: $paced,
            exec: $exec[0], sampling: $sampling[0],
            store: $store[0]
        }' | jq --from-file bench/rows.jq
}

# The widths come from the rows.
table() {
    jq -r '(["", "ours", "the other", "ratio", "target", "verdict"],
        (.rows[] | [.what, .ours, .other, .ratio, .target, .verdict])
        | map(. // "")) | @tsv' "$1" | awk -F '\t' '
    { for (i = 1; i <= NF; i++) {
        cell[NR, i] = $i
        if (length($i) > width[i])
            width[i] = length($i)
    } }
    END { for (r = 1; r <= NR; r++) {
        line = ""
        for (i = 1; i <= 6; i++)
            line = line sprintf(i == 1 || i > 4 ? "%-*s  " : "%*s  ",
                width[i], cell[r, i])
        sub(/ +$/, "", line)
        print line
    } }'
}

# A test whose times are worth a verdict on a quiet machine only.
judge() { # end-to-end test
    mkdir "$tmp/$1"
    (cd "$tmp/$1" && JUDGE_TIMES=1 SRC=$OLDPWD BUILD=$build \
        TMPDIR=$tmp/$1 "$OLDPWD/tests/e2e/$1.sh" 2>&1 | tail -n 40) &&
        echo "$1: ok" || echo "$1: NO"
}

measure
collect >"$tmp/bench.json"
mv "$tmp/bench.json" "$json"
table "$json"
jq -r '"\nMedians; in brackets the middle half of 25 blocks.  Ratio: ours to " +
    "the other.\n\(.machine.cpu), \(.machine.cores) cores, load " +
    "\(.machine.load) at the end."' "$json"

echo
BUILD=$build tools/bench_loop.sh # whether `ortmeter bench` tells the truth
echo
BUILD=$build tools/bench_operators.sh # do operators add up, what do they cost
echo
tools/bench_python.sh # what capture adds to a call from Python
echo
BUILD=$build tools/bench_verdicts.sh # how often verdicts are wrong
echo
judge generations # times of tokens are those of the program's clock
judge shares # are operators' shares ONNX Runtime's, or a witness's
judge python_operators # and in Python those of C
echo
"$build/bench/profile" 64 5 # how fast ONNX Runtime's own profiles are read
echo
"$python" bench/etw.py "$build" # how fast traces of Windows are read
echo
BUILD=$build tools/bench_generate.sh # how fast tokens are made and texts read
echo
BUILD=$build tools/bench_serve.sh # how soon clients of the server know
echo
BUILD=$build tools/bench_page.sh # how smooth the page is in a browser
