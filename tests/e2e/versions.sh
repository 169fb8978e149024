#!/bin/bash
# Older ONNX Runtimes under node, and four of them in one process.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
unset LD_LIBRARY_PATH

folders=(ort-1.10 ort-1.17 ort-1.23 onnxruntime-node)
libraries=()
for folder in "${folders[@]}"; do
    compare node "$here/infer.cjs" "$npm/$folder" "$models/mlp.onnx" 211 \
        x=float32:1x64
    [ "$rc" -eq 0 ] || fail "$folder failed"
    counted 211
    version=$(jq -r .version "$npm/$folder/package.json")
    is .run.ort.version "$version"
    libraries+=("$(ort_library "$folder")")
done

compare "$programs/versions" "$models/mlp.onnx" 151 "${libraries[@]}"
[ "$rc" -eq 0 ] || fail "four at once failed"
counted $((151 + 152 + 153 + 154))
is '.sessions | length' 4
is '[.sessions[].latency.count] | sort | tostring' '[151,152,153,154]'
