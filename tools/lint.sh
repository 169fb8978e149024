#!/bin/bash
# lint.sh -- the rules of the house that a compiler does not know.  Silent when
# all is well; else says what is wrong where, and exits 1.
set -euo pipefail
cd "$(dirname "$0")/.."

status=0

complain() { # what, where: one line each, or nothing
    [ -n "$2" ] || return 0
    printf '%s:\n%s\n' "$1" "$2" >&2
    status=1
}

# grep that may find nothing.
find_in() { # pattern, files...
    [ $# -gt 1 ] || return 0
    grep -nHP "$@" || [ $? -eq 1 ]
}

list() { # find's arguments; one file a line, nothing that was generated
    find . \( -name .git -o -path './build*' -o -name __pycache__ \
        -o -name node_modules \) -prune -o -type f "$@" -print |
        sed 's|^\./||' | LC_ALL=C sort
}

mapfile -t code < <(list -regex \
    '\./\(src\|hook\|wire\|include\|tests\|fuzz\|bench\|tools\)/.*\.[ch]')
mapfile -t product < <(printf '%s\n' "${code[@]}" | grep -E '^(src|hook|wire)/')
mapfile -t shell < <(list -not -path './tests/data/*' -size +0 |
    while read -r file; do
        if head -n 1 "$file" | grep -qaE '^#!.*\b(ba)?sh\b'; then
            echo "$file"
        fi
    done)
mapfile -t text < <(list \( -name '*.[ch]' -o -name '*.sh' -o -name '*.md' \
    -o -name '*.py' -o -name '*.[cm]js' -o -name '*.sql' -o -name '*.[1-8]' \
    -o -name 'meson*' -o -name Makefile \) -not -path './tests/data/*')

formatting() {
    complain 'not formatted' "$(clang-format --dry-run --Werror "${code[@]}" \
        2>&1 | grep -E '(error|warning):' | cut -d: -f1 | uniq -c || true)"
    complain 'a blank at the end of the line' \
        "$(find_in '[ \t]+$' "${text[@]}")"
    complain 'a tab' "$(find_in '\t' "${text[@]}" | grep -v '^Makefile:' ||
        true)"
    complain 'a folder of more than 40 files (60 in onnx and energy)' \
        "$(printf '%s\n' "${product[@]}" | xargs -n 1 dirname | sort | uniq -c |
            awk '$1 > ($2 ~ /^src\/(onnx|energy)$/ ? 60 : 40) {
                print $2 ": " $1 }')"
    complain 'more than 800 lines' \
        "$(wc -l "${code[@]}" "${shell[@]}" |
            awk '$1 > 800 && $2 != "total" { print $2 ": " $1 }')"
}

# Code, without what stands in comments and texts.
bare() { # files...
    awk '
    FNR == 1 { open = 0 }
    {
        line = $0
        gsub(/\\./, "", line)
        gsub(/\047[^\047]?\047/, "", line)
        gsub(/"[^"]*"/, "\"\"", line)
        gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", line)
        if (open && (at = index(line, "*/"))) {
            line = substr(line, at + 2)
            open = 0
        }
        if (!open && (at = index(line, "/*"))) {
            print FILENAME ":" FNR ":" substr(line, 1, at - 1)
            open = 1
        } else if (!open)
            print FILENAME ":" FNR ":" line
    }' "$@"
}

functions() {
    local banned='strcpy|strcat|strncpy|strncat|sprintf|vsprintf|strtok'
    banned+='|strtok_r|gets|atoi|atol|atoll|atof|sscanf|fscanf|scanf|alloca'
    banned+='|system|popen|tmpnam|mktemp|setjmp|longjmp'
    # The hook stands in for two of them, and a test's program calls those.
    complain 'banned function' "$(bare "${code[@]}" |
        grep -E "\\b($banned)\\(" | grep -vE \
        '^hook/exec_linux\.c:.*EXPORT|^tests/programs/ways\.c:' || true)"
    # A child that could not become somebody else may leave, in os/.
    complain 'only main.c exits' "$(bare "${product[@]}" |
        grep -E '\b(exit|_exit|_Exit|quick_exit|abort)\(' |
        grep -vE '^src/main\.c:|^src/os/[^:]*:.*_exit\(' |
        grep -vE '^src/base/alloc\.c:.*abort\(' || true)"
    complain 'an OS is asked for outside os/ and *_<os>.c' "$(find_in \
        '^ *# *(el)?if.*(_WIN32|__linux|__APPLE__|__unix)' "${code[@]}" |
        grep -vE '^(src/os/|[^:]*_(linux|windows|macos)\.[ch]:)' || true)"
    # What is left is named here until it has moved, too.
    local posix='unistd|fcntl|poll|pthread|dlfcn|signal|spawn|sched|dirent|netdb'
    posix+='|arpa/.*|netinet/.*|sys/.*|linux/.*|termios|pwd|grp|fnmatch|glob'
    posix+='|langinfo'
    local still='src/(session|monitor/state|push/sender|fleet/shipper|cmd/run'
    still+='|cmd/top|cmd/top/top_screen|cmd/bench/bench_loop)\.[ch]'
    complain 'a header of POSIX outside os/ and *_<os>.c' "$(find_in \
        "^#include <($posix)\.h>" "${product[@]}" |
        grep -vE "^(hook/|wire/|src/os/|[^:]*_linux\.[ch]:|$still:)" || true)"
    complain 'a promise instead of code' \
        "$(find_in '\b(TODO|FIXME)\b' "${code[@]}")"
}

# Names that one word for one thing has put out of use.
retired() {
    complain 'a retired word (tools/retired.txt)' "$(bare "${code[@]}" |
        grep -E -f <(grep -v '^#' tools/retired.txt) || true)"
}

# Each place in src/ has a height and includes only what lies lower, or itself;
# model's nouns are for all.
# The hook lives in somebody else's process and brings little luggage.
includes() {
    complain 'an include that points the wrong way' "$(awk '
    BEGIN {
        count = split("base|model|os|onnx ort sample etw|collect|live|store|" \
            "energy|analyse llm|export fleet|import|push|serve|" \
            "monitor|cmd|main", floor, "|")
        for (i = 1; i <= count; i++) {
            n = split(floor[i], name, " ")
            for (j = 1; j <= n; j++)
                height[name[j]] = i
        }
        luggage = "^(base/compiler|os/(clock|ticks)|wire/.*|hook/.*|" \
            "ortmeter)\\.h$"
        shared = "^(wire/.*|ortmeter|ortmeter_monitor)\\.h$"
        contract = "^(base/compiler|wire/.*)\\.h$"
    }
    FNR == 1 {
        place = FILENAME
        sub(/^src\//, "", place)
        sub(/[\/.].*$/, "", place)
        if (place !~ /^(hook|wire)$/ && !(place in height))
            print FILENAME ": this place is not in the order"
    }
    /^ *# *include *"/ {
        split($0, part, "\"")
        to = part[2]
        sub(/[\/.].*$/, "", to)
        if (place == "hook")
            wrong = part[2] !~ luggage
        else if (place == "wire")
            wrong = part[2] !~ contract
        else
            wrong = part[2] !~ shared && to != place && (!(to in height) ||
                height[to] >= height[place])
        if (wrong)
            print FILENAME ":" FNR ": " part[2]
    }' "${product[@]}")"
}

beginnings() {
    local file own
    complain 'begins neither with its own header nor by saying what it is' "$(
        for file in "${product[@]}"; do
            own=${file#src/}
            own=${own%.[ch]}
            # The header may be that of several files: clock_linux.c, clock.h.
            head -n 1 "$file" | grep -qE '^/\*' ||
                { [[ $file == *.c ]] && head -n 1 "$file" |
                    sed -n 's|^#include "\(.*\)\.h"$|\1|p' |
                    grep -qE "^${own%%_*}"; } ||
                echo "$file"
        done)"
    complain 'says the name of another file' "$(awk '
        FNR == 1 && /^\/\* [^ ]+\.[ch] -- / {
            name = FILENAME
            sub(/.*\//, "", name)
            if ($2 != name)
                print FILENAME ": " $2
        }' "${code[@]}")"
    complain 'no #pragma once' "$(printf '%s\n' "${code[@]}" |
        grep -v '^include/' | grep '\.h$' |
        xargs -r grep -L '^#pragma once$' || true)"
}

# One name, one struct: in the program, in the guest and in their contract.
structs() {
    local folder
    complain 'a struct that two headers define' "$(
        for folder in src hook; do
            # shellcheck disable=SC2046 # names without blanks
            grep -HE '^struct [a-z0-9_]+ \{' $(printf '%s\n' "${product[@]}" |
                grep -E "^($folder|wire)/.*\.h$") |
                sed 's/^\(.*\):struct \(.*\) {.*/\2 \1/' | sort |
                awk '$1 == name { print $1 ": " file " and " $2 }
                    { name = $1; file = $2 }'
        done)"
}

# The folders of the tree are those of docs/architecture.md.  No grep -q: it may
# end before the one that feeds it, which then fails.
rooms() {
    local folder
    complain 'a folder that docs/architecture.md does not name' "$(
        printf '%s\n' "${product[@]}" | xargs -n 1 dirname | sort -u |
            while read -r folder; do
                [ "$folder" = src ] || grep '^| `' docs/architecture.md |
                    grep -E "\`$folder\`|\`$(cut -d / -f 1,2 <<<"$folder")\`.*[ \`]${folder##*/}/" >/dev/null ||
                    echo "$folder"
            done)"
}

# A file that no build knows is a test that never ran.
unbuilt() {
    local meson file stem os
    meson=$(list -name meson.build | xargs cat)
    complain 'not in meson.build' "$(
        printf '%s\n' "${code[@]}" | grep '\.c$' | while read -r file; do
            stem=$(basename "$file" .c)
            for os in linux windows macos; do
                stem=${stem%_"$os"}
            done
            stem="(${stem#test_}|${stem#fuzz_}|$stem)"
            [[ $meson =~ [/\']$stem(_@0@)?(\.c)?\' ]] ||
                echo "$file"
        done)"
}

# [text](target) and ![image](target), relative to the file; not the web.
links() {
    local file target
    complain 'a link to nothing' "$(
        list -name '*.md' | while read -r file; do
            { grep -oP '\]\(\K[^)#\s]+' "$file" || true; } |
                while read -r target; do
                    [[ $target =~ ^(https?|mailto): ]] ||
                        [ -e "$(dirname "$file")/$target" ] ||
                        echo "$file: $target"
                done
        done)"
}

scripts() {
    complain 'shellcheck' \
        "$(shellcheck --format=gcc --external-sources --source-path=SCRIPTDIR \
            "${shell[@]}" 2>&1 || true)"
    complain 'a script that cannot be run' "$(printf '%s\n' "${shell[@]}" |
        while read -r file; do [ -x "$file" ] || echo "$file"; done)"
    complain 'the manual page' "$(list -path './docs/*.1' | xargs -r \
        groff -man -Tutf8 -ww -z 2>&1 || true)"
}

formatting
functions
retired
includes
beginnings
structs
rooms
unbuilt
links
scripts
exit "$status"
