#!/bin/bash
# Odd names, long argument lists, relative paths.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

mkdir 'a folder' 'ä'
# shellcheck disable=SC2016 # on purpose
names=('two words' $'two\nlines' 'größe' "quo\"te'" '%s%n' '-dash' '$HOME')
for name in "${names[@]}"; do
    cp "$programs/linked" "a folder/$name"
    cp "$models/mlp.onnx" "ä/$name.onnx"
    compare "./a folder/$name" "ä/$name.onnx" 11
    [ "$rc" -eq 0 ] || fail "'$name' failed"
    counted 11
    is '.sessions[0].model' "$name"
    is '.sessions[0].model_path' "ä/$name.onnx"
    holds '.run.command | tostring | contains("folder")'
done
"$ortmeter" list --db t.db >list.out || fail "list failed"

# From the PATH, and beside us.
cp "$programs/linked" here
compare ./here "$models/mlp.onnx" 11
counted 11
PATH=$PWD:$PATH compare here "$models/mlp.onnx" 11
counted 11

# As long as the system takes it: 10,000 arguments, one of 100 kB.
long=$(printf 'x%.0s' {1..100000})
mapfile -t many < <(seq 10000)
# shellcheck disable=SC2016 # the inner shell's
compare sh -c 'echo $# "${#1}"; exec "$0"' "$programs/hello" "$long" \
    "${many[@]}"
[ "$(head -n 1 out)" = '10001 100000' ] || fail "arguments are missing"
