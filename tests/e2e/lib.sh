# shellcheck shell=bash disable=SC2034 # most names are for the tests
# lib.sh -- what the end-to-end tests share; they source it, with bash.
#
# A test runs in a folder of its own, TMPDIR, and finds there, after
# `meter COMMAND...`: out and err of the program, run.json (the report), t.db;
# after `plain COMMAND...`: plain.out, plain.err.  By hand, from the top of the
# source: tests/e2e/node.sh
set -euo pipefail

export SRC=${SRC:-$PWD}
export BUILD=${BUILD:-$SRC/build}
export ORT_DISABLE_TELEMETRY=1 # no test talks to anybody
if [ -z "${TMPDIR:-}" ]; then
    TMPDIR=$(mktemp -d)
    export TMPDIR XDG_DATA_HOME=$TMPDIR/data XDG_CONFIG_HOME=$TMPDIR/config
    own_tmpdir=$TMPDIR
fi
cd "$TMPDIR"

here=$SRC/tests/e2e
ortmeter=$BUILD/ortmeter
hook=$BUILD/libortmeter.so
programs=$BUILD/tests/programs
models=$BUILD/models
npm=$BUILD/npm/node_modules
silero=$npm/@ricky0123/vad-web/dist/silero_vad_v5.onnx
silero_inputs=(input=float32:1x512 state=float32:2x1x128 sr=int64:)

# Nothing that was started outlives its test, not even in a group of its own.
cleanup() {
    local pid
    for pid in $(jobs -p); do
        kill -KILL -- "-$pid" 2>/dev/null || kill -KILL "$pid" 2>/dev/null ||
            true
    done
    [ -z "${own_tmpdir:-}" ] || rm -rf "$own_tmpdir"
}
trap cleanup EXIT

# --- verdicts ----------------------------------------------------------------

# The report and what was said, for whoever looks, and why on the last line.
fail() { # why
    local file
    for file in run.json plain.err err; do
        [ ! -s "$TMPDIR/$file" ] || {
            echo "--- $file"
            jq -c 'del(.run.host)' "$TMPDIR/$file" 2>/dev/null ||
                tail -c 2000 "$TMPDIR/$file"
        } >&2
    done
    echo "FAILED: $*" >&2
    exit 1
}

skip() { # reason
    echo "$*"
    exit 77
}

need_tool() { # command
    command -v "$1" >/dev/null || skip "there is no $1 here"
}

# --- what programs need ------------------------------------------------------

# The ONNX Runtime library of a folder of npm's: its name differs by version.
ort_library() { # onnxruntime-node, ort-1.10 ...
    local file
    for file in "$npm/$1"/bin/napi-v*/linux/x64/libonnxruntime.so.1*; do
        [ -e "$file" ] || fail "$npm/$1 has no ONNX Runtime for Linux"
        echo "$file"
        return
    done
}

ort=$(ort_library onnxruntime-node)
export LD_LIBRARY_PATH=${ort%/*} # for the programs linked to it

# --- running -----------------------------------------------------------------

rc=0
plain_rc=0

plain() { # command...
    plain_rc=0
    "$@" >plain.out 2>plain.err || plain_rc=$?
}

meter() { # command...
    rc=0
    rm -f run.json
    "$ortmeter" run "${meter_options[@]}" -o run.json --db t.db -- "$@" \
        >out 2>err || rc=$?
}
# More for `run`, from whoever calls: METER_OPTIONS='--ops all' tests/e2e/...
read -ra meter_options <<<"${METER_OPTIONS:-}"

# The program does under the meter what it does without: stdout, exit code.
compare() { # command...
    plain "$@"
    meter "$@"
    [ "$rc" -eq "$plain_rc" ] ||
        fail "$1 exits with $rc under the meter, with $plain_rc without"
    cmp plain.out out || fail "$1 prints something else under the meter"
}

# Waits until a command succeeds, two minutes at most: for what other
# processes do, and only where they cannot be waited for.
await() { # command...
    local i
    for ((i = 0; i < 2400; i++)); do
        ! "$@" || return 0
        sleep 0.05
    done
    fail "waited in vain for: $*"
}

# A port of 127.0.0.1 that nobody has, nor looks for.
free_port() {
    node -e "const s = require('node:net').createServer();
        s.listen(0, '127.0.0.1', () => {
            console.log(s.address().port); s.close(); })"
}

# Whether a server answers, by the file that has its stderr and may not be there
# yet; then `base` is its address and `owner` its owner's token.
is_serving() { # file
    [ -s "$1" ] || return
    base=$(sed -n 's|.*serving at \(.*\)/#token=.*|\1|p' "$1")
    owner=$(sed -n 's|.*#token=||p' "$1")
    [ -n "$base" ] && curl -sk -o healthz.txt "$base/healthz"
}

# --- looking -----------------------------------------------------------------

field() { # jq's path
    [ -s run.json ] || fail "there is no report"
    jq -r "$1" run.json || fail "the report is not JSON"
}

is() { # jq's path, what it must be
    local got
    got=$(field "$1")
    [ "$got" = "$2" ] || fail "$1 is $got, not $2"
}

holds() { # jq's condition
    is "$1" true
}

# That many inferences, none of them failed or lost.
counted() { # how many
    is .latency.count "$1"
    is .lost_events 0
    holds '(.latency.failed // 0) == 0'
}

# One sentence on stderr, and this exit code.
refused() { # exit code, a word that must be in it
    [ "$rc" -eq "$1" ] || fail "exit code $rc, not $1"
    [ "$(wc -l <err)" -eq 1 ] || fail "not one line on stderr: $(cat err)"
    grep -q -- "$2" err || fail "nothing of '$2' in: $(cat err)"
}
