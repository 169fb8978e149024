#!/bin/bash
# Programs built with sanitizers, by gcc and by clang, run as they do without
# the meter: no refusal to start, no crash, no finding.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
export ASAN_OPTIONS=detect_leaks=0 # ONNX Runtime's own are not ours

# Sanitizers of this age stumble over a wide address space layout.
if [ -z "${STEADY:-}" ] && setarch -R true; then
    STEADY=1 exec setarch -R "$0"
fi

# Without the sanitizer's library there is nothing to try; what it can build, a
# program of ours must build, too.
echo 'int main(void) { return 0; }' >empty.c
tried=0
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    for kind in address thread undefined; do
        "$compiler" "-fsanitize=$kind" empty.c -o empty 2>log || continue
        "$compiler" -g -O1 "-fsanitize=$kind" -D_GNU_SOURCE -I"$SRC" \
            "$SRC/tests/programs/loader.c" "$SRC/tests/programs/ort_host.c" \
            -ldl -o "$compiler-$kind" 2>log || fail "$(cat log)"
        compare "./$compiler-$kind" load "$ort" "$models/mlp.onnx" 101
        [ "$rc" -eq 0 ] || fail "$compiler -fsanitize=$kind ends with $rc"
        cmp plain.err err || fail "$compiler -fsanitize=$kind found something"
        counted 101
        compare sh -c '"$@"; exit $?' - \
            "./$compiler-$kind" load "$ort" "$models/mlp.onnx" 101
        [ "$rc" -eq 0 ] || fail "$compiler -fsanitize=$kind in a shell: $rc"
        counted 101
        tried=$((tried + 1))
    done
done
[ "$tried" -gt 0 ] || skip "no sanitizer here"
echo "$tried ways to build"
