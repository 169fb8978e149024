#!/bin/bash
# What cannot be done is refused with one sentence and the right exit code,
# and what was stored before stays.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

ask() { # arguments of ortmeter...
    rc=0
    "$ortmeter" "$@" >out 2>err || rc=$?
    [ ! -s out ] || fail "a refusal on stdout: $(cat out)"
}

ask run --db t.db -- ./missing
refused 1 missing
ask run --db t.db -- nobody-has-such-a-program
refused 1 nobody-has-such-a-program
echo 'no program' >text
mkdir folder
ask run --db t.db -- ./text
refused 1 text
ask run --db t.db -- ./folder
refused 1 folder

ask run --no-such-option -- true
[ "$rc" -eq 2 ] || fail "exit code $rc for an unknown option"
grep -q -- --no-such-option err || fail "the option is not named: $(cat err)"
ask run
[ "$rc" -eq 2 ] || fail "exit code $rc for no program at all"
ask no-such-verb
[ "$rc" -eq 2 ] || fail "exit code $rc for an unknown verb"
ask run --ops nonsense -- true
[ "$rc" -eq 2 ] || fail "exit code $rc for a wrong value"

# Said before the program runs, and not after an hour.
ask run -o /nowhere/run.json --db t.db -- touch started
refused 1 /nowhere/run.json
[ ! -e started ] || fail "the program was started all the same"

# Databases that are none.  The program runs without us, or, with --strict, is
# not started.
no_database() { # path, word
    ask run --strict --db "$1" -- touch started
    refused 1 "$2"
    [ ! -e started ] || fail "the program was started all the same"
    ask run --db "$1" -- sh -c 'touch started; exit 6'
    refused 6 "$2"
    [ -e started ] || fail "the program was not started"
    rm started
    ask list --db "$1"
    refused 1 "$2"
    ask report last --db "$1"
    refused 1 "$2"
}
head -c 8192 /dev/urandom >noise.db
cp noise.db noise.before
no_database noise.db noise.db
cmp noise.db noise.before || fail "a file that was no database was changed"
mkdir folder.db
no_database folder.db folder.db
no_database /dev/null/t.db /dev/null/t.db

# A database of a later ortmeter is left as it is.
meter "$programs/linked" "$models/mlp.onnx" 101
cp t.db newer.db
sqlite3 newer.db 'PRAGMA user_version = 9999' >/dev/null
no_database newer.db newer.db
[ "$(sqlite3 newer.db 'PRAGMA user_version')" = 9999 ] || fail "it was changed"

# One that may not be read, or not written.
if [ "$(id -u)" -eq 0 ]; then
    as_other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chmod 711 .
else
    as_other=()
fi
cp t.db shut.db
chmod 000 shut.db
if "${as_other[@]}" test -x "$ortmeter"; then
    rc=0
    "${as_other[@]}" "$ortmeter" report last --db "$PWD/shut.db" \
        >out 2>err || rc=$?
    refused 1 'shut.db.*permission denied'
fi
chmod 644 shut.db

# All the while the first database kept its run.
"$ortmeter" report last --json --db t.db >run.json
counted 101
ask report no-such-run --db t.db
refused 1 no-such-run
