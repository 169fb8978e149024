#!/bin/bash
# portable.sh -- compiles for Windows what knows no OS: the rooms named below,
# but for their *_<os>.c and what needs a library that is optional.  Silent when
# all is well.
set -euo pipefail
cd "$(dirname "$0")/.."

compiler=x86_64-w64-mingw32-gcc
rooms=(wire src/base src/model src/onnx src/llm src/etw src/analyse src/import
    src/cmd/etw src/cmd/etw.c)
command -v "$compiler" >/dev/null || {
    echo "there is no $compiler here"
    exit 77
}
for room in "${rooms[@]}"; do
    [ ! -e "$room" ] || find "$room" -name '*.c' ! -name '*_linux.c' ! -name '*_pcre2.c' \
        ! -name '*_utf8proc.c' -print0
done | xargs -0 -n 8 -P "${JOBS:-2}" "$compiler" -std=c11 -fsyntax-only \
    -D_GNU_SOURCE -D__USE_MINGW_ANSI_STDIO=1 '-DORTMETER_VERSION="0"' \
    -Wall -Wextra -Wformat=2 -Werror -Isrc -Iinclude -I.
