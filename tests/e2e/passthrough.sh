#!/bin/bash
# The program's arguments, stdin, stdout, stderr and end are its own.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Through shells and env, to the end of the chain.
export SILERO=$silero ORT_FOLDER=$npm/onnxruntime-node
# shellcheck disable=SC2016 # the inner shell's
compare sh -c 'env FOO=1 sh -c "exec node \"\$0\" \"\$@\"" "$@"' - \
    "$here/infer.cjs" "$ORT_FOLDER" "$SILERO" 101 "${silero_inputs[@]}"
counted 101

# Bytes in, bytes out, both streams.
head -c 300000 /dev/urandom >bytes
"$ortmeter" run -o run.json --db t.db -- sh -c 'tee /dev/stderr' \
    <bytes >out 2>err
cmp bytes out || fail "stdout is not what went in"
cmp bytes err || fail "stderr is not what went in"

# A pipe that is closed early ends the writer as always.
ends=()
"$ortmeter" run -o run.json --db t.db -- yes 2>err | head -n 1 >out ||
    ends=("${PIPESTATUS[@]}")
[ "${ends[*]}" = '141 0' ] || fail "yes was not ended by SIGPIPE: ${ends[*]}"

# Closed streams stay closed, and nothing else gets their numbers.
"$ortmeter" run --db t.db -- "$programs/linked" "$models/mlp.onnx" 101 \
    <&- >&- 2>&-
"$ortmeter" report last --json --db t.db >run.json
counted 101
[ "$(sqlite3 t.db 'PRAGMA integrity_check')" = ok ] || fail "t.db is damaged"

for code in 0 3 125 255; do
    meter sh -c "exit $code"
    [ "$rc" -eq "$code" ] || fail "exit code $rc, not $code"
done
for signal in TERM SEGV KILL; do
    # shellcheck disable=SC2016
    meter sh -c 'kill -$0 $$' "$signal"
    [ "$rc" -eq $((128 + $(kill -l "$signal"))) ] ||
        fail "exit code $rc after SIG$signal"
done

# Without -o the report goes to stderr, after what the program said there.
"$ortmeter" run --db t.db -- "$programs/linked" "$models/mlp.onnx" 101 \
    >out 2>err
"$programs/linked" "$models/mlp.onnx" 101 >plain.out
cmp plain.out out || fail "the report is on stdout"
grep -q 101 err || fail "no report on stderr"
"$ortmeter" run --quiet --db t.db -- "$programs/linked" "$models/mlp.onnx" 101 \
    >out 2>err
[ ! -s err ] || fail "--quiet said: $(cat err)"
