#!/bin/bash
# Programs on glibc 2.31, as Debian 11 and Ubuntu 20.04 have it: libdl and
# libpthread are libraries of their own there.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
need_tool gcc

root=$BUILD/glibc-2.31
glibc=$root/lib/x86_64-linux-gnu
[ -e "$glibc/libc.so.6" ] || skip "no glibc 2.31: tools/deps.sh test"

# Built here, but linked to nothing of here.  What ONNX Runtime needs is there
# before it is loaded, since it would look for these in the system's folders.
start=$(dirname "$(gcc -print-file-name=crt1.o)")
build() { # program
    gcc -O1 -no-pie -nostdlib -D_GNU_SOURCE -I"$SRC" \
        "$start/crt1.o" "$start/crti.o" "$SRC/tests/programs/$1.c" \
        "$SRC/tests/programs/ort_host.c" -Wl,--no-as-needed \
        "$glibc"/lib{c.so.6,dl.so.2,pthread.so.0,m.so.6,rt.so.1,gcc_s.so.1} \
        "$root/usr/lib/x86_64-linux-gnu/libstdc++.so.6" \
        "$glibc/ld-linux-x86-64.so.2" "$start/crtn.o" \
        -Wl,--dynamic-linker="$glibc/ld-linux-x86-64.so.2" \
        -Wl,--disable-new-dtags \
        -Wl,-rpath,"$glibc:$root/usr/lib/x86_64-linux-gnu" -o "$1" 2>log ||
        fail "cannot build $1: $(cat log)"
}
build loader
build versions

# One that is old enough to run there without the meter, too.
for folder in onnxruntime-node ort-1.23 ort-1.17 ort-1.10; do
    [ -d "$npm/$folder" ] || continue
    ort=$(ort_library "$folder")
    unset LD_LIBRARY_PATH
    plain ./loader load "$ort" "$models/mlp.onnx" 1
    [ "$plain_rc" -ne 0 ] || break
done
[ "$plain_rc" -eq 0 ] || skip "no ONNX Runtime runs there: $(tail -n 1 plain.err)"

for how in load deepbind; do
    compare ./loader "$how" "$ort" "$models/mlp.onnx" 211
    [ "$rc" -eq 0 ] || fail "$how: exit code $rc"
    counted 211
done
# Operators are traced there, too, and from a thread.
meter_options=(--ops all)
compare ./versions "$models/mlp.onnx" 101 "$ort"
counted 101
holds '.latency.traced == 101 and (.ops | length) == 3'
# Started by a program of this system.
compare sh -c '"$@"; exit $?' - ./loader load "$ort" "$models/mlp.onnx" 53
counted 53
echo "with ${ort##*/}"
