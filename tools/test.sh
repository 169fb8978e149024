#!/bin/bash
# test.sh [--quick | NAME] -- all tests, those that need no more than one
# compiler, or those with NAME in their name.
#
# A test is named suite/test: tidy/cppcheck, asan/ring, fuzz/json, e2e/run.
# Each suite gets a line; a test that fails shows its log.  The last line is
# "N passed, N failed, N skipped".
#
# Two jobs run at a time (JOBS=N: N of them); a fuzzer gets five seconds
# (FUZZ_SECONDS=N).  E2E_BUILD=DIR: the build that end-to-end tests look at.
set -euo pipefail
cd "$(dirname "$0")/.."

quick=
if [ "${1:-}" = --quick ]; then
    quick=yes
    shift
fi
filter=${1:-}
jobs=${JOBS:-2}
export SRC=$PWD BUILD=${E2E_BUILD:-$PWD/build}
export ORT_DISABLE_TELEMETRY=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 # it would only mutter
clang=(CC=clang --werror)
out=$SRC/build/test
results=$out/results # verdict, test, log; a line each
rm -rf "$out"
mkdir -p "$out"
: >"$results"

trap 'kill $(jobs -p) 2>/dev/null || true' EXIT

wanted() { # test
    [[ $1 == *"$filter"* ]]
}

# Whether the suite can have a test that is wanted: the filter may begin with
# the name of another.
concerned() { # suite
    [ "$1" = build ] ||
        [[ ! $filter =~ ^(lint|gcc|asan|tsan|clang|tidy|fuzz|e2e)(/|$) ]] ||
        [ "${BASH_REMATCH[1]}" = "$1" ]
}

# --- one test ----------------------------------------------------------------

verdict() { # pass|fail|skip, test, log
    printf '%s\t%s\t%s\n' "$@" >>"$results"
}

# Runs a command as a test: 0 is good, 77 skips for the reason on its last line.
check() { # test, command...
    local name=$1 log=$out/${1//[\/ ]/-}.log rc=0
    shift
    "$@" >"$log" 2>&1 </dev/null || rc=$?
    case $rc in
    0) verdict pass "$name" "$log" ;;
    77) verdict skip "$name" "$log" ;;
    *)
        echo "exit code $rc" >>"$log"
        verdict fail "$name" "$log"
        return 1
        ;;
    esac
}

# A step that the tests need: only its failure is a verdict.
attempt() { # name, command...
    local log=$out/${1//[\/ ]/-}.log
    "${@:2}" >"$log" 2>&1 </dev/null && return
    verdict fail "$1" "$log"
    return 1
}

# A test beside others; `wait` for all of them afterwards.
check_beside() { # test, command...
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
        wait -n || true
    done
    check "$@" &
}

# A time limit, and nobody is left running afterwards.
limited() { # seconds, command...
    local pid rc=0
    timeout --kill-after=10 "$@" &
    pid=$! # of a process group, too: timeout makes itself one
    trap 'kill "$pid"' TERM
    wait "$pid" || rc=$?
    kill -KILL -- "-$pid" 2>/dev/null || true
    [ "$rc" -ne 124 ] || echo "stopped after $1 seconds"
    return "$rc"
}

# Sanitizers of this age stumble over a wide address space layout.
steady() { # command...
    if setarch -R true 2>/dev/null; then
        setarch -R "$@"
    else
        "$@"
    fi
}

# --- suites ------------------------------------------------------------------

lint() {
    ! wanted lint/house || check lint/house tools/lint.sh || true
    ! wanted lint/portable || check lint/portable tools/portable.sh || true
}

# The analysers want clang's options, and the headers that a build makes.
tidy() {
    local tool
    [ -z "$filter" ] || wanted tidy/clang-tidy || wanted tidy/cppcheck ||
        return 0
    attempt tidy/configure tools/configure.sh build/clang "${clang[@]}" ||
        return 0
    attempt tidy/build ninja -C build/clang --quiet -j "$jobs" || return 0
    for tool in clang-tidy cppcheck; do
        ! wanted "tidy/$tool" ||
            check "tidy/$tool" tools/tidy.sh build/clang "$tool" || true
    done
}

# Does the test start threads, or what it tests?  Others learn nothing from
# ThreadSanitizer.
has_threads() { # test
    local modules='push/sender|fleet/shipper|bench/bench_loop|fake_clickhouse'
    grep -sqE "<(pthread|threads)\.h>|\"[a-z/]*($modules|fake_ops)\.h\"" \
        tests/*/test_"$1".c
}

# One way to build; then its unit tests.
unit() { # suite, configure.sh's options...
    local suite=$1 dir=build/$1 name names=() calm=()
    attempt "$suite/configure" tools/configure.sh "$dir" "${@:2}" || return 0
    while read -r name; do
        [ "$suite" != tsan ] || has_threads "$name" || continue
        ! wanted "$suite/$name" || names+=("$name")
    done < <(meson introspect --tests "$dir" | jq -r '.[].name')
    [ ${#names[@]} -gt 0 ] || return 0
    [[ $suite != [at]san ]] || calm=(steady)
    rm -f "$dir/meson-logs/testlog.json"
    # The verdicts are in its log; without one it did not come so far.
    "${calm[@]}" meson test -C "$dir" --num-processes "$jobs" \
        --timeout-multiplier 3 "${names[@]}" >"$out/$suite.log" 2>&1 || true
    if [ -s "$dir/meson-logs/testlog.json" ]; then
        meson_verdicts "$suite" "$dir/meson-logs/testlog.json"
    else
        verdict fail "$suite/meson" "$out/$suite.log"
    fi
}

meson_verdicts() { # suite, testlog.json
    local name result log i=0
    while IFS=$'\t' read -r name result; do
        log=$out/$1-$((i++)).log
        case $result in
        OK | EXPECTEDFAIL) verdict pass "$1/$name" "$log" && continue ;;
        SKIP) verdict skip "$1/$name" "$log" ;;
        *) verdict fail "$1/$name" "$log" ;;
        esac
        jq -r --arg name "$name" 'select(.name == $name) | .result,
            .stderr // empty, .stdout // empty' "$2" >"$log"
    done < <(jq -r '[.name, .result] | @tsv' "$2")
}

fuzz() {
    local dir=build/fuzz name names=()
    attempt fuzz/configure tools/configure.sh "$dir" CC=clang -Dfuzz=true ||
        return 0
    while read -r name; do
        ! wanted "fuzz/${name#fuzz_}" || names+=("$name")
    done < <(meson introspect --targets "$dir" |
        jq -r '.[] | select(.type == "executable").name |
            select(startswith("fuzz_"))')
    [ ${#names[@]} -gt 0 ] || return 0
    attempt fuzz/build ninja -C "$dir" --quiet -j "$jobs" "${names[@]}" ||
        return 0
    for name in "${names[@]}"; do
        check_beside "fuzz/${name#fuzz_}" fuzz_one "$dir/$name"
    done
    wait
}

fuzz_one() { # program
    local name=${1##*/fuzz_} seconds=${FUZZ_SECONDS:-5}
    local folders=("build/fuzz/corpus/$name") options=()
    mkdir -p "${folders[0]}"
    [ ! -d "fuzz/seeds/$name" ] || folders+=("fuzz/seeds/$name")
    [ ! -e "fuzz/$name.dict" ] || options+=("-dict=fuzz/$name.dict")
    # Its own code for a crash is 77, which is "skipped" here.
    steady "$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        -error_exitcode=1 \
        -artifact_prefix="build/fuzz/$name-" "${options[@]}" "${folders[@]}"
}

# A script gets BUILD and SRC, DATA where the recordings are at hand, and a
# TMPDIR of its own, where it also finds "the user's" data and settings.
e2e() {
    local script name
    [ ! -d ../shared/data ] || export DATA=$PWD/../shared/data
    for script in tests/e2e/*.sh; do
        name=e2e/$(basename "$script" .sh)
        if [ -x "$script" ] && wanted "$name"; then
            check_beside "$name" e2e_one "$PWD/$script"
        fi
    done
    wait
}

e2e_one() { # script; what a failed one leaves in its TMPDIR stays
    local tmp
    tmp=$out/$(basename "$1" .sh)
    mkdir "$tmp" && cd "$tmp" &&
        limited 600 env TMPDIR="$tmp" XDG_DATA_HOME="$tmp/data" \
            XDG_CONFIG_HOME="$tmp/config" XDG_STATE_HOME="$tmp/state" "$1" &&
        rm -rf "$tmp"
}

# --- the whole ---------------------------------------------------------------

count() { # verdict, suite
    grep -cP "^$1\t$2" "$results" || true
}

suite() { # name, function, arguments...
    local name=$1 start=$SECONDS kind test log
    concerned "$name" || return 0
    "${@:2}" || true
    grep -qP "\t$name/" "$results" || return 0
    printf '%-6s %4d passed %3d failed %3d skipped %5d s\n' "$name" \
        "$(count pass "$name/")" "$(count fail "$name/")" \
        "$(count skip "$name/")" $((SECONDS - start))
    # Names and reasons first: a log that follows may be cut by who shows it.
    while IFS=$'\t' read -r kind test log; do
        case $kind in
        fail) printf 'FAILED %s: %s\n' "$test" "$(reason "$log")" ;;
        skip) printf 'skipped %s: %s\n' "$test" "$(tail -n 1 "$log")" ;;
        esac
    done < <(grep -P "\t$name/" "$results")
    while IFS=$'\t' read -r kind test log; do
        printf -- '--- %s\n' "$test"
        tail -n 200 "$log" | sed 's/^/    /'
    done < <(grep -P "^fail\t$name/" "$results")
}

# Why a test failed: what it said last, without our own line about its code.
reason() { # log
    grep -v -e '^exit code ' -e '^ *$' "$1" | tail -n 1 | cut -c 1-200
}

everything() {
    suite lint lint
    suite gcc unit gcc --werror
    [ -z "$quick" ] || return 0
    suite asan unit asan --werror -Db_sanitize=address,undefined
    suite tsan unit tsan --werror -Db_sanitize=thread
    suite clang unit clang "${clang[@]}"
    suite tidy tidy
    suite fuzz fuzz
    suite e2e e2e
}

if [ -n "$quick" ]; then
    groups=(build check)
else
    groups=(build run check test python)
fi
tools/deps.sh "${groups[@]}" || verdict fail build/deps build/deps.log
suite build attempt build/all make --no-print-directory build
[ -n "$quick" ] || suite build attempt build/programs ninja -C build --quiet
[ -s "$results" ] || everything
[ -s "$results" ] || echo "no test has '$filter' in its name"
printf '%d passed, %d failed, %d skipped\n' "$(count pass '')" \
    "$(count fail '')" "$(count skip '')" | tee "$out/summary"
[ -s "$results" ] && [ "$(count fail '')" -eq 0 ]
