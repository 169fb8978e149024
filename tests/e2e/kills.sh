#!/bin/bash
# kill -9 of the meter at 50 random moments of a heavy run, with a key and
# without: each time the database opens and is whole, and all that is older
# than a second is in it.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

head -c 24 /dev/urandom | base64 >key
kills=${KILLS:-50}
RANDOM=$$

ended() { ! [ -e "/proc/$1" ]; }

# All that the program did more than a second before its last word.
older_than_a_second() {
    [ -s log ] || return 0
    awk -v last="$(tail -n 1 log)" '$1 < last - 1e9' log
}

for ((i = 0; i < kills; i++)); do
    unset ORTMETER_KEY_FILE
    db=plain.db
    [ $((i % 2)) -eq 0 ] || {
        export ORTMETER_KEY_FILE=key
        db=sealed.db
    }
    rm -f log stop pid
    "$ortmeter" run --ops 7 --quiet --db "$db" -- \
        sh -c 'echo $$ >pid; exec "$@"' - "$programs/ticker" \
        "$models/mlp.onnx" log stop >out 2>err &
    meter=$!
    # The moment is what is tested: from before there is a database to long
    # after the first second.
    sleep "$((RANDOM % 3)).$(printf %03d $((RANDOM % 1000)))"
    kill -KILL "$meter"
    older_than_a_second >older
    wait "$meter" 2>/dev/null || true
    touch stop
    [ ! -s pid ] || await ended "$(cat pid)"

    [ -s "$db" ] || continue # it came to nothing
    "$ortmeter" vacuum --check --db "$db" >check.out 2>err ||
        fail "kill $i: $db is damaged: $(cat check.out err)"
    expected=$(wc -l <older)
    [ "$expected" -gt 0 ] || continue
    "$ortmeter" list -n 1 --json --db "$db" >run.json 2>err ||
        fail "kill $i: no list: $(cat err)"
    is '.runs[0].run.status' interrupted
    holds ".runs[0].inferences >= $expected"
    "$ortmeter" report last --db "$db" >report.out 2>err ||
        fail "kill $i: no report: $(cat err)"
    kept=$((${kept:-0} + 1))
done
echo "$kept of $kills were killed late enough to have something to lose"
[ "${kept:-0}" -ge $((kills / 5)) ] || fail "hardly one ran for a second"

unset ORTMETER_KEY_FILE
[ "$(sqlite3 plain.db 'PRAGMA integrity_check')" = ok ] || fail "damaged"
! grep -qa 'mlp.onnx\|CREATE TABLE' sealed.db* || fail "sealed.db is readable"
