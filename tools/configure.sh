#!/bin/sh
# configure.sh DIR [CC=COMPILER] [MESON-OPTION...] -- makes DIR a build
# directory with these options, up to date with meson.build.
set -eu
cd "$(dirname "$0")/.."

dir=$1
shift
wanted="$* node=$(command -v node || true)" # which builds the page
compiler=
case ${1-} in
CC=*)
    compiler=$1
    shift
    ;;
esac

# Meson is talkative; what it says matters when it fails.
quietly() {
    "$@" >"$dir/configure.log" 2>&1 && return
    cat "$dir/configure.log" >&2
    exit 1
}

again=
if [ -e "$dir/build.ninja" ]; then
    if [ "$(cat "$dir/configured" 2>/dev/null)" = "$wanted" ]; then
        quietly ninja -C "$dir" build.ninja # meson.build may have changed
        exit 0
    fi
    again=--reconfigure
fi
mkdir -p "$dir"
quietly env ${compiler:+"$compiler"} meson setup $again "$@" "$dir"
printf '%s\n' "$wanted" >"$dir/configured"
