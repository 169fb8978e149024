#!/bin/bash
# Every command that README shows is run, as it stands there.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# What it names: your program in three languages, and your model.
mkdir bin
ln -s "$BUILD" build
ln -s "$SRC/demo" demo
ln -s "$ortmeter" bin/ortmeter
cp "$models/mlp.onnx" your_model.onnx
# shellcheck disable=SC2016 # their own
printf '#!/bin/sh\nexec "%s" your_model.onnx 11\n' "$programs/linked" |
    tee your_app >bin/python
chmod +x your_app bin/python
cat >your_app.js <<END
const ort = require('$npm/onnxruntime-node');
ort.InferenceSession.create('your_model.onnx').then((s) => s.run({
    x: new ort.Tensor('float32', new Float32Array(64), [1, 64])}));
END
if [ -n "${DATA-}" ]; then
    ln -s "$DATA/llm/models/llama/optimum" your_llm
fi
export PATH=$PWD/bin:$PATH ORTMETER_DB=$PWD/t.db

ran=0
while IFS= read -r line; do
    [[ $line != *your_llm* || -e your_llm ]] || continue
    bash -c "$line" >out 2>err </dev/null || fail "'$line' fails: $(cat err)"
    [ -s out ] || [ -s err ] || fail "'$line' says nothing"
    ran=$((ran + 1))
done < <(sed -nE 's/^(\$ )?((build\/)?ortmeter .*)/\2/p' "$SRC/README.md")
[ "$ran" -ge 8 ] || fail "only $ran commands were found"

# In the text: `watch --json -- PROGRAM` prints a line for each tick.
ortmeter watch --json --duration 0.3 -- ./your_app >out 2>err ||
    fail "watch --json -- PROGRAM fails: $(cat err)"
jq -es 'all(has("timestamp_ns"))' out >/dev/null || fail "not a line for each"

# What is no command of ours: the two of make are there, and what the first one
# does is among the commands above; `pip install .` is python_wheel's.
make -C "$SRC" --no-print-directory -n demo test >out 2>err ||
    fail "make demo, make test: $(cat err)"
grep -q 'build/ortmeter run -- node demo/demo.mjs' out ||
    fail "make demo does something else: $(cat out)"
[ -s "$BUILD/ortmeter.1" ] || fail "there is no manual"
[ -e your_llm ] || skip "all but generate: there is no ../shared/data here"
