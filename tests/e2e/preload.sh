#!/bin/bash
# An install path that the loader would take apart, and what a program preloads
# itself.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# A library of ours, or somebody's, from the working folder is what must not
# happen: here lies one that would be noticed.
place="sp ace/co:lon"
mkdir -p "$place" ace/co
cp "$ortmeter" "$hook" "$place/"
printf '#include <unistd.h>\n__attribute__((constructor)) static void f(void)
{ _exit(66); }\n' >trap.c
gcc -shared -fPIC -o ace/co/libortmeter.so trap.c 2>/dev/null ||
    skip "there is no C compiler here"
cp ace/co/libortmeter.so libortmeter.so
cp ace/co/libortmeter.so ace/co.so

ortmeter="$PWD/$place/ortmeter"
compare "$programs/linked" "$models/mlp.onnx" 41
[ "$rc" -eq 0 ] || fail "exit code $rc"
counted 41

# Two libraries of the program's own stay, in their order, behind ours.
for name in one two; do
    printf '#include <stdio.h>\n__attribute__((constructor)) static void f(void)
{ (void)!puts("%s"); (void)fflush(stdout); }\n' "$name" >"$name.c"
    gcc -shared -fPIC -o "$name.so" "$name.c"
done
compare env "LD_PRELOAD=$PWD/one.so:$PWD/two.so" "$programs/linked" \
    "$models/mlp.onnx" 43
counted 43
