#!/bin/bash
# C programs that find ONNX Runtime while they run, in every usual way.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

runs() { # how, library
    compare "${loader:-$programs/loader}" "$1" "$2" "$models/mlp.onnx" 211
    [ "$rc" -eq 0 ] || fail "$1 $2 failed"
    counted 211
}

runs load "$ort"
runs deepbind "$ort"
runs plugin "$programs/plugin_linked.so"

# A bare name that only the RUNPATH, or the older RPATH, of the caller finds,
# here $ORIGIN/ort: of the program, then of a plugin.
unset LD_LIBRARY_PATH
mkdir -p program plugin
cp "$programs/loader" "$programs/loader_rpath" program/
cp "$programs/plugin_loader.so" plugin/
ln -s "${ort%/*}" program/ort
loader=$PWD/program/loader runs load libonnxruntime.so.1
loader=$PWD/program/loader_rpath runs load libonnxruntime.so.1
ln -s "${ort%/*}" plugin/ort
runs plugin "$PWD/plugin/plugin_loader.so"
runs plugin ./plugin/plugin_loader.so

# Without the meter's help it is not found, with it neither.
compare "$programs/loader" load libonnxruntime.so.1 "$models/mlp.onnx" 211
[ "$rc" -eq 1 ] || fail "a library that is not there was found"

# What has ONNX Runtime's name and entry, but nothing behind it.
LD_LIBRARY_PATH=$programs compare "$programs/linked" "$models/mlp.onnx" 1
grep -q 'no API to give' err || fail "the stub is not what was loaded"

# Unloaded and loaded again, three times.
compare "$programs/loader" reload "$ort" "$models/mlp.onnx" 101
counted 303
is '.sessions | length' 3
