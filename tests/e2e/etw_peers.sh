#!/bin/bash
# What our writer writes is read by dissect.etl, and what our decompressors make
# of streams is what dissect.util makes of them; the room of traces, built for
# Windows, writes the same bytes.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

maker=$programs/etw_maker
wheels=$BUILD/python/dissect-3.14
missing=()
"$maker" ort made.etl

# --- Python's reader ---------------------------------------------------------

if [ -d "$wheels" ] && python=$("$SRC/tools/find_python.sh" 3.11); then
    PYTHONPATH=$wheels "$python" "$here/etw_peers.py" "$maker" made.etl \
        "$ortmeter" || fail "dissect reads something else"
else
    missing+=("no dissect.etl (tools/deps.sh python)")
fi

# --- Windows -----------------------------------------------------------------

compiler=x86_64-w64-mingw32-gcc
wine=/usr/lib/wine/wine64
flags=(-std=c11 -O1 -Wall -Wextra -Werror -D_GNU_SOURCE
    -D__USE_MINGW_ANSI_STDIO=1 -D_WIN32_WINNT=0x0602 -I"$SRC/src"
    -I"$SRC/tests/support" -I"$SRC")
tests=(cmd/test_etw_recording etw/test_etw_decompress etw/test_etw_live
    etw/test_etw_stacks etw/test_etw_writer)

# The room of traces and the path of `etw record`, as a library.
build_for_windows() {
    local sources=() name
    mapfile -t sources < <(find "$SRC/src/etw" -name '*.c' ! -name '*_linux.c')
    for name in alloc buf digits error json json_read json_text map str utf8; do
        sources+=("$SRC/src/base/$name.c")
    done
    for name in etw_filter etw_record etw_record_windows; do
        sources+=("$SRC/src/cmd/etw/$name.c")
    done
    mkdir objects
    (cd objects && "$compiler" "${flags[@]}" -c "${sources[@]}") || return
    for name in programs/etw_maker "${tests[@]}"; do
        "$compiler" "${flags[@]}" "$SRC/tests/$name.c" objects/*.o \
            -o "${name##*/}.exe" -ladvapi32 -static || return
    done
}

if command -v "$compiler" >/dev/null; then
    build_for_windows || fail "it cannot be built for Windows"
else
    missing+=("no mingw-w64")
fi
if [ -x "$wine" ] && [ -e etw_maker.exe ]; then
    # Without Mono and Gecko, which it would look for.
    export WINEPREFIX=$TMPDIR/wine WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml=
    trap 'WINEPREFIX=$TMPDIR/wine /usr/lib/wine/wineserver64 -k || true' EXIT
    "$wine" wineboot -i >/dev/null 2>&1 || true
    "$wine" etw_maker.exe ort windows.etl || fail "it does not write under Wine"
    cmp made.etl windows.etl || fail "Windows writes other bytes"
    "$wine" etw_maker.exe read made.etl | tr -d '\r' >windows.counts
    "$maker" read made.etl | diff - windows.counts || fail "other counts"
    "$wine" etw_maker.exe record | tr -d '\r' >windows.record || true
    [ "$(cat windows.record)" = 'other: ETW is not available here' ] ||
        fail "it said $(cat windows.record)"
    for name in "${tests[@]}"; do
        "$wine" "${name##*/}.exe" || fail "$name fails under Wine"
    done
else
    missing+=("no Wine (apt-get install wine64)")
fi
[ ${#missing[@]} -eq 0 ] || skip "$(printf '%s; ' "${missing[@]}")"
