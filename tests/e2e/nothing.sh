#!/bin/bash
# Runs that show no inference say so, and why that may be.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# The report, for a person, must hold this; the program's exit code stays.
says() { # words, command...
    local words=$1
    shift
    rc=0
    "$ortmeter" run --db t.db -- "$@" >out 2>err || rc=$?
    grep -qi "$words" err || fail "nothing of '$words' on stderr"
    meter "$@"
    holds '(.latency.count // 0) == 0'
}

says 'onnx runtime' /bin/true
[ "$rc" -eq 0 ] || fail "true is $rc"
says 'onnx runtime' python3 -c 'print("nothing imported")'
says 'session' "$programs/loader" idle "$ort"
[ "$rc" -eq 0 ] || fail "an idle program is $rc"

# node with onnxruntime-web, which is no library: that is the reason, from the
# script's folder or the one that node was started in.
mkdir -p web/src web/node_modules/onnxruntime-web
echo '{"name": "onnxruntime-web", "main": "index.js"}' \
    >web/node_modules/onnxruntime-web/package.json
: >web/node_modules/onnxruntime-web/index.js
echo "require('onnxruntime-web');" >web/src/app.js
says "has onnxruntime-web .*$PWD/web/node_modules" node web/src/app.js
[ "$rc" -eq 0 ] || fail "node is $rc"
holds '.run.note | contains("WebAssembly") and contains("enable_profiling") and
    contains("bench MODEL --ort")'
cd web
says 'has onnxruntime-web' node -e "require('onnxruntime-web')"
cd ..

need_tool gcc
gcc -static -o static "$SRC/tests/programs/hello.c" ||
    skip "no static C library here"
says 'static' ./static
[ "$rc" -eq 7 ] || fail "a static program is $rc"
