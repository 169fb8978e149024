#!/bin/bash
# The same ONNX Runtime in Python and in a C program, with the same model: the
# same operators, as often, whose types have the same shares, within two points;
# and a call's parts add up, for one thread and for several.
#
# Times are shown here, and judged where JUDGE_TIMES is set: `make bench` does,
# on a machine that does nothing else.
. "$(dirname "$0")/lib.sh"
. "$here/python_lib.sh"

use_python 3.11
version=${set_name#*-}
library=$BUILD/ort/$version/libonnxruntime.so
[ -e "$library" ] || skip "there is no ONNX Runtime $version for C programs"
gpt2=${DATA:-$SRC/../shared/data}/llm/models/gpt2/optimum/model.onnx
meter_options+=(--quiet)

# Of every type its part of the whole, in points; an If is what is in it.  By
# the fastest of each: then nobody else wanted the processor or its caches.
shares() { # report
    jq '[.ops[] | select(.op_type != "If") | {op_type, us: .min_us}] | (map(.us) | add) as $all
        | group_by(.op_type)
        | map({key: .[0].op_type, value: (100 * (map(.us) | add) / $all)})
        | from_entries' "$1"
}

for try in "$silero" "$gpt2"; do
    [ -e "$try" ] || { echo "there is no $try" && continue; }
    echo "${try##*/data/}"
    "$ortmeter" bench --quiet --ort "$library" --threads 1 --ops all --count 200 \
        --warmup 5 --db t.db -o c.json "$try"
    inputs=$(jq -c .bench.inputs c.json)
    meter_options+=(--ops all)
    meter "$python" "$programs_py/infer.py" "$try" 205 1 "$inputs"
    [ "$rc" -eq 0 ] || fail "$(cat err)"
    counted 205
    diff <(jq '[.ops[].op_type] | sort' c.json) \
        <(jq '[.ops[].op_type] | sort' run.json) >both ||
        fail "other operators than in C: $(head -n 3 both)"
    shares c.json >c.shares
    shares run.json >python.shares
    jq -n -r --slurpfile c c.shares --slurpfile python python.shares '
        $c[0] as $c | $python[0] as $p
        | ($c + $p | keys[]) as $type
        | [$type, ($c[$type] // 0), ($p[$type] // 0)] | @tsv' >both
    awk -F '\t' '{ printf "  %-28s %5.1f in C, %5.1f in Python\n", $1, $2, $3 }' both
    awk -F '\t' '{ off = $2 - $3; if (off < 0) off = -off; if (off > 2) bad = 1 }
        END { exit bad }' both || [ -z "${JUDGE_TIMES:-}" ] ||
        fail "shares are more than two points apart"
    unset 'meter_options[-1]' 'meter_options[-1]'
done

# What compares with the C program is ONNX Runtime's part; here it is only shown.
"$ortmeter" bench --quiet --ort "$library" --threads 1 --ops off --count 300 \
    --db t.db -o c.json "$silero"
echo "in C: $(jq .bench.rows[0].latency.median_us c.json) us a call"
inputs=$(jq -c .bench.inputs c.json)
for threads in 1 2 8; do
    meter "$python" "$programs_py/infer.py" "$silero" 200 $threads "$inputs"
    [ "$rc" -eq 0 ] || fail "$(cat err)"
    counted $((200 * threads))
    holds '.python | (.runtime_us + .gil_wait_us + .converting_us - .call_us)
        | fabs < 0.01'
    is .python.calls $((200 * threads))
    sqlite3 t.db "SELECT runtime_ns IS NULL OR gil_ns IS NULL OR
        runtime_ns + gil_ns > duration_ns FROM inferences WHERE run =
        (SELECT max(run) FROM inferences)" | grep -q 1 &&
        fail "parts of a call are longer than the call"
    echo "$threads threads: $(field '.python | "\(.call_us) us a call, \(.runtime_us) in" +
        " ONNX Runtime, \(.gil_wait_us) waiting, \(.converting_us) converting"')"
done
