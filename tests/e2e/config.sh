#!/bin/bash
# Settings: an option over a variable over the project's file over one's own.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

mkdir -p config/ortmeter project/deep
export XDG_CONFIG_HOME=$PWD/config
export XDG_DATA_HOME=$PWD/data
db() { # where doctor says the database is, and why
    "$ortmeter" doctor --json "$@" |
        jq -r '.configuration.database | "\(.path) \(.came_from)"'
}
expect() { # what db must say, options...
    local got
    got=$(db "${@:2}")
    [ "$got" = "$1" ] || fail "the database: $got, not $1"
}

expect "$PWD/data/ortmeter/ortmeter.db XDG_DATA_HOME"
echo 'db = "/own.db"' >config/ortmeter/ortmeter.toml
expect "/own.db $PWD/config/ortmeter/ortmeter.toml"
cat >config/ortmeter/ortmeter.toml <<END
db = "/all.db"
[doctor] # nearer than what is for all
db = "/own.db"
END
expect "/own.db $PWD/config/ortmeter/ortmeter.toml"
cat >project/ortmeter.toml <<END
[run]
tag = "from-file"
quiet = true
END
cd project/deep
ORTMETER_DB=/variable.db expect '/variable.db ORTMETER_DB'
ORTMETER_DB=/variable.db expect '/option.db --db' --db /option.db

# They reach the command; an option on the command line replaces them.
"$ortmeter" run --db t.db -- true 2>err
[ ! -s err ] || fail "it was not quiet: $(cat err)"
"$ortmeter" list --db t.db --json | jq -e '.runs[0].run.tags == ["from-file"]' ||
    fail "the tag of the file is not there"
ORTMETER_RUN_TAG=variable "$ortmeter" run --db t.db -- true
"$ortmeter" list --db t.db --json | jq -e '.runs[0].run.tags == ["variable"]' ||
    fail "the variable does not come before the file"
"$ortmeter" run --db t.db --tag option -- true
"$ortmeter" list --db t.db --json | jq -e '.runs[0].run.tags == ["option"]' ||
    fail "the option does not come before the file"

# What is wrong is said, with the file and the line.
refuses() { # exit code, a word, a line of a file
    echo "$3" >ortmeter.toml
    rc=0
    "$ortmeter" run --db t.db -- true >out 2>err || rc=$?
    refused "$1" "$2"
    grep -q "$PWD/ortmeter.toml" err || fail "no file in: $(cat err)"
}
refuses 1 'line 1' 'tag = oh'
refuses 2 "no option 'tug'" '[run]
tug = 1'
refuses 2 'whole number\|of 0 or more' '[run]
buffer = "many"'

# What could do harm is not a project's to set, for whichever verb.
harmful() { # a line of the project's file, the verb...
    printf '%b\n' "$1" >ortmeter.toml
    rc=0
    "$ortmeter" "${@:2}" >out 2>err || rc=$?
    refused 2 "a project's file may not set"
}
harmful 'db = "x.db"' list
harmful 'store = "clickhouse://elsewhere"' list
harmful 'otlp = "http://127.0.0.1:1"' run --db t.db -- true
harmful '[run]\nmeter = "tcp:127.0.0.1:1"' run --db t.db -- true
harmful '[export]\nout = "x.json"' export -f json --db t.db
harmful '[serve]\nbind = "0.0.0.0"' serve --db t.db
harmful '[serve]\nallow-origin = "https://elsewhere"' serve --db t.db
harmful '[generate]\nort = "x.so"' generate "$models"
harmful '[check]\nbase = "touch loaded"' check a.onnx
harmful '[ship]\nstore = "clickhouse://elsewhere"' ship --db t.db

# A library runs as soon as it is loaded: one's own file may name one, which
# shows that this one would have done its harm.
printf '#include <fcntl.h>\n__attribute__((constructor)) static void run(void)
    { creat("loaded", 0600); }\n' >evil.c
gcc -shared -fPIC -o evil.so evil.c
for verb in doctor "bench $models/mlp.onnx --db t.db"; do
    # shellcheck disable=SC2086 # words
    harmful "ort = \"$PWD/evil.so\"" $verb
done
[ ! -e loaded ] || fail "a project's file had a library loaded"
rm ortmeter.toml
echo "ort = \"$PWD/evil.so\"" >"$XDG_CONFIG_HOME/ortmeter/ortmeter.toml"
"$ortmeter" doctor >out 2>err || true
[ -e loaded ] || fail "the library does nothing: $(cat err)"
rm "$XDG_CONFIG_HOME/ortmeter/ortmeter.toml"

echo victim >victim
printf '[export]\nout = "victim"\n' >ortmeter.toml
"$ortmeter" export -f json --db t.db >out 2>err &&
    fail "a project's file was written to"
grep -qx victim victim || fail "a project's file replaced another"

# Nor is a file that others could have laid there.
printf '[run]\ntag = "theirs"\n' >ortmeter.toml
chmod 666 ortmeter.toml
"$ortmeter" run --db t.db -- true 2>err
grep -q 'ortmeter.toml is passed over: it can be written by others' err ||
    fail "nothing was said: $(cat err)"
"$ortmeter" list --db t.db --json | jq -e '.runs[0].run.tags != ["theirs"]' ||
    fail "a file that others may write to was read"
chmod 644 ortmeter.toml
if chown 12345 ortmeter.toml 2>/dev/null; then
    "$ortmeter" list --db t.db 2>err >out
    grep -q 'belongs to another user' err || fail "nothing was said: $(cat err)"
fi
rm ortmeter.toml
# Nor do settings that are somebody else's, as root's are after `su`, stop us.
mkdir -p theirs/ortmeter
echo '[list' >theirs/ortmeter/ortmeter.toml
echo '[list' >ortmeter.toml
chmod 000 ortmeter.toml theirs
chmod 755 . # whoever we are then may be here
other=(env XDG_CONFIG_HOME="$PWD/theirs")
[ "$(id -u)" -ne 0 ] ||
    other=(setpriv --reuid 65534 --regid 65534 --clear-groups "${other[@]}")
if "${other[@]}" test -x "$ortmeter" -a -x .; then
    "${other[@]}" "$ortmeter" list --help >out 2>err ||
        fail "somebody else's settings stop us: $(cat err)"
    [ "$(grep -c 'ortmeter.toml is passed over: it is not yours to read' err)" -eq 2 ] ||
        fail "nothing was said: $(cat err)"
fi
chmod 755 theirs
rm -f ortmeter.toml
mkfifo ortmeter.toml
timeout 10 "$ortmeter" list --db t.db >out 2>err || fail "a pipe keeps us waiting"
