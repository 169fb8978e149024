#!/bin/bash
# The program's environment is its own, but for what we add.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Ours, and the shell's own "_", may differ, and nothing else.
ours='^(_|LD_PRELOAD|ASAN_OPTIONS|ORTMETER_[A-Z_]*|ORT_DISABLE_TELEMETRY)='

export ODD=$'two\nlines' EMPTY='' UNICODE=é
plain env -0
meter env -0
for file in plain.out out; do
    grep -zEv "$ours" "$file" >"$file.theirs"
done
cmp plain.out.theirs out.theirs || fail "variables differ: $(tr '\0' ' ' <out)"
grep -zq '^ORTMETER_DIR=' out || fail "the hook is not told where to write"

# A preload of the user's stays, and so does its effect.
gcc -shared -fPIC -o other.so -x c - <<'END' || skip "no compiler here"
#include <unistd.h>
__attribute__((constructor)) static void hello(void)
{
    (void)!write(1, "other\n", 6);
}
END
compare env "LD_PRELOAD=$PWD/other.so" "$programs/linked" "$models/mlp.onnx" 11
[ "$(head -n 1 out)" = other ] || fail "the user's preload is gone"
LD_PRELOAD=$PWD/other.so "$ortmeter" run --quiet -o run.json --db t.db -- \
    "$programs/linked" "$models/mlp.onnx" 11 >out 2>err
grep -q other out || fail "the user's preload is gone"
counted 11

# What ONNX Runtime's host sees in node.
compare node -e '
    require(process.argv[1]);
    for (const [name, value] of Object.entries(process.env))
        if (!/^(_|LD_PRELOAD|ASAN_OPTIONS|ORTMETER_.*)$/.test(name))
            console.log(name, value);' "$npm/onnxruntime-node"
