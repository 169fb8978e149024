#!/bin/bash
# A program that profiles itself gets its file, one, where it wanted it and
# with every run in it.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
unset LD_LIBRARY_PATH

for folder in ort-1.10 ort-1.17 ort-1.23 onnxruntime-node; do
    compare "$programs/profiled" "$(ort_library "$folder")" \
        "$models/mlp.onnx" 53 mine
    [ "$rc" -eq 0 ] || fail "$folder failed"
    [ "$(tail -n 1 out)" = ours ] || fail "the profile went to $(tail -n 1 out)"
    counted 53
    for file in mine*; do # without the meter and, in another second, with it
        runs=$(jq '[.[] | select(.name == "model_run")] | length' "$file")
        [ "$runs" -eq 53 ] || fail "$folder: $runs runs in $file"
    done
    rm mine*
done
