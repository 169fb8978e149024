#!/bin/bash
# tidy.sh BUILD [clang-tidy|cppcheck] -- what the analysers say of src/ and
# hook/, as compiled in the build directory BUILD.  Silent when all is well.
#
# A file that clang-tidy has passed is remembered, under a hash of all that it
# saw, in BUILD/tidy; cppcheck keeps such a memory itself.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath "$1")
which=${2:-both}
jobs=${JOBS:-2}
memory=$build/tidy
database=$build/compile_commands.json
mkdir -p "$memory/cppcheck"

# How each of our files is compiled: file, command, file, ... with NUL between.
commands() {
    jq -j '[.[] | select(.file | test("^([.][.]/)*(src|hook|wire)/.*[.]c$"))]
        | unique_by(.file)[] | .file, "\u0000", .command, "\u0000"' "$database"
}

# All that bears on the verdict: code after inclusion with its comments (they
# may say NOLINT), the rules, the tool.
# shellcheck disable=SC2317 # xargs calls it
fingerprint() { # command
    local preprocess
    preprocess=$(sed -E 's/ -(MQ|MF|o) +[^ ]+//g; s/ -MD\b//; s/ -c / -E -C /' \
        <<<"$1")
    { (cd "$build" && eval "$preprocess") &&
        clang-tidy --version && cat .clang-tidy ./*/.clang-tidy; } |
        sha256sum | cut -d ' ' -f 1
}

# Stands alone in xargs: one file, its words only when it fails.
# shellcheck disable=SC2317
tidy_one() { # file, command
    local mark words
    mark=$memory/$(fingerprint "$2")
    [ ! -e "$mark" ] || return 0
    if words=$(cd "$build" && clang-tidy --quiet -p "$build" "$1" 2>&1); then
        touch "$mark"
    else
        printf '%s\n' "$words" |
            grep -vE '^(Suppressed|Use -header-filter|[0-9]+ warning)' >&2
        return 1
    fi
}

run_clang_tidy() {
    export build memory
    export -f tidy_one fingerprint
    # shellcheck disable=SC2016 # for the inner shell
    commands | xargs -0 -r -n 2 -P "$jobs" \
        bash -euo pipefail -c 'tidy_one "$1" "$2"' tidy
}

run_cppcheck() {
    cppcheck --quiet --project="$database" \
        --cppcheck-build-dir="$memory/cppcheck" \
        --file-filter="$PWD/src/*" --file-filter="$PWD/hook/*" \
        --enable=warning,performance,portability --inline-suppr \
        --suppress=missingIncludeSystem --suppress=unmatchedSuppression \
        --error-exitcode=1 -j "$jobs"
}

status=0
[ "$which" = cppcheck ] || run_clang_tidy || status=1
[ "$which" = clang-tidy ] || run_cppcheck || status=1
exit "$status"
