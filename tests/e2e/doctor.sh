#!/usr/bin/env bash
# doctor.sh -- what `ortmeter doctor` says and what it exits with.
# shellcheck source=tests/e2e/lib.sh
. "${SRC:-$PWD}/tests/e2e/lib.sh"

doctor() { # options...
    rc=0
    "$ortmeter" doctor "$@" >out 2>err || rc=$?
}

expect() { # exit code, text in err
    [ "$rc" -eq "$1" ] || fail "doctor exits with $rc, not $1"
    [ "$(cat err)" = "$2" ] || fail "stderr is not: $2"
}

# The fetched ONNX Runtime is found without being named, and says who it is.
unset ORTMETER_ORT LD_LIBRARY_PATH
doctor --json
expect 0 ""
[ "$(jq -r .schema_version out)" = 1 ] || fail "no schema_version"
[ "$(jq -r .ort.found out)" = true ] || fail "no ONNX Runtime was found"
jq -e '.ort.providers | index("CPUExecutionProvider")' out >/dev/null ||
    fail "the CPU's provider is missing"
[ "$(jq -r '.sources[] | select(.name == "hook") | .detail' out)" = "$hook" ] ||
    fail "the hook was not found"
jq -e '[.sources[] | select(.available) | .reason] | all(. == null)' out \
    >/dev/null || fail "a source is available and has a reason not to be"
jq -e '[.sources[] | select(.available | not) | .reason] | all(. != null)' \
    out >/dev/null || fail "a source is missing without a reason"
[ "$(jq -r .host.cpu.threads out)" = "$(getconf _NPROCESSORS_ONLN)" ] ||
    fail "this machine has another number of threads"

# A runtime that cannot be loaded is a finding, not a failure.
doctor --json --ort /nowhere/libonnxruntime.so
expect 0 ""
[ "$(jq -r .ort.found out)" = false ] || fail "found what is not there"
jq -e '.ort.reason | contains("/nowhere/")' out >/dev/null ||
    fail "the reason does not name the file"

# The database is named, and where its path came from; nothing is made.
ORTMETER_DB=$TMPDIR/never.db doctor --json -o report.json
expect 0 ""
[ ! -s out ] || fail "-o FILE left something on stdout"
[ "$(jq -r .configuration.database.path report.json)" = "$TMPDIR/never.db" ] ||
    fail "another database"
[ "$(jq -r .configuration.database.came_from report.json)" = ORTMETER_DB ] ||
    fail "the database came from elsewhere"
[ ! -e never.db ] || fail "doctor made a database"

# Usage.
doctor --x
expect 2 "ortmeter doctor: unknown option --x; see 'ortmeter doctor --help'"
doctor word
expect 2 "ortmeter doctor: unexpected argument 'word'; see 'ortmeter doctor --help'"
doctor --help
expect 0 ""
grep -q '^Examples:' out || fail "--help has no examples"

# What cannot be written is a failure.
rc=0
"$ortmeter" doctor >/dev/full 2>err || rc=$?
expect 1 "ortmeter doctor: cannot write the output: No space left on device"
doctor -o /nowhere/file
expect 1 "ortmeter doctor: cannot write /nowhere/file: No such file or directory"

# No colours but on a terminal.
doctor
! grep -q $'\033' out || fail "colours in a file"
