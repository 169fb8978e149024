#!/bin/bash
# Secrets that a person gives to the meter or to the program are found nowhere
# afterwards: not by the program, in no database or log, no report, no export.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Also as Windows writes text, with a zero behind each letter.
planted() { # files, folders...
    LC_ALL=C grep -rlaP 'P\x00?l\x00?4\x00?n\x00?t\x00?e\x00?d' "$@" || true
}
clean() { # files, folders...
    local found
    found=$(planted "$@")
    [ -z "$found" ] || fail "a secret is in: $found"
}

# Every report and every export there is of every run, into a folder.
formats() { # format, or format and shape, a line each
    "$ortmeter" export --help | awk '
        /^Formats:/ { on = 1; next }
        !NF { on = 0 }
        on && $1 == "--shape" { print format, $2; next }
        on && /^  [a-z]/ { format = $1; print format }'
}
write_all() { # database, folder
    local run format shape out
    mkdir "$2"
    "$ortmeter" list --db "$1" --json >"$2/list.json"
    "$ortmeter" list --db "$1" >"$2/list.txt"
    for run in $(jq -r '.runs[].run.id' "$2/list.json"); do
        "$ortmeter" report "$run" --db "$1" >"$2/$run.txt"
        "$ortmeter" report "$run" --db "$1" --json >"$2/$run.json"
        "$ortmeter" energy "$run" --db "$1" >"$2/$run.energy" 2>&1 || true
        while read -r format shape; do
            out=$2/$run.$format$shape
            "$ortmeter" export -f "$format" ${shape:+--shape "$shape"} \
                --db "$1" -o "$out" --quiet "$run" 2>err ||
                "$ortmeter" export -f "$format" --db "$1" -o "$out/" --quiet \
                    "$run"
            [ -e "$out" ] || fail "there is no export as $format $shape"
        done < <(formats)
    done
}
[ "$(formats | wc -l)" -gt 15 ] || fail "the formats are not found"

# --- of ours -----------------------------------------------------------------

# The program is not given what is ours; what serves its own SDK stays.
export ORTMETER_PASSPHRASE=Pl4nted-phrase ORTMETER_STORE_PASSWORD=Pl4nted-store
export OTEL_EXPORTER_OTLP_HEADERS=authorization=Pl4nted-header
"$ortmeter" run --quiet --db locked.db -- env >env.txt
! grep -q '^ORTMETER_PASSPHRASE=\|^ORTMETER_STORE_PASSWORD=' env.txt ||
    fail "the program was given a secret of ours"
grep -q '^OTEL_EXPORTER_OTLP_HEADERS=' env.txt || fail "OTEL_* is gone"
write_all locked.db locked
clean locked.db* locked
unset ORTMETER_PASSPHRASE

# --- of the program's command line -------------------------------------------

# It goes on until it has been seen, together with one that it starts.
cat >program <<'END2'
#!/bin/sh
"$LINKED" "$MODEL" 20
sh -c 'until [ -e go ]; do :; done; exit 0' "$@" &
until [ -e go ]; do :; done
wait
END2
chmod +x program
export LINKED=$programs/linked MODEL=$models/mlp.onnx
"$ortmeter" run --quiet --db t.db -- ./program --password=Pl4nted-1 \
    --api-key Pl4nted-2 token=Pl4nted-3 https://me:Pl4nted-4@host/ \
    -H 'Authorization: Bearer Pl4nted-5' --max-tokens 5 >out &
meter=$!
seen() { # both command lines are in the database
    python3 - <<'END2'
import sqlite3, sys
db = sqlite3.connect("file:t.db?mode=ro", uri=True)
try:
    seen = db.execute("SELECT count(*) FROM subjects WHERE detail"
                      " LIKE '%max-tokens 5%'").fetchone()[0]
except sqlite3.OperationalError:
    seen = 0
sys.exit(seen < 2)
END2
}
await seen
[ -s t.db-wal ] || fail "there is no log to look into"
cp t.db-wal wal
clean wal t.db t.db-wal
touch go
wait "$meter" || fail "exit code $?"
write_all t.db out_of
grep -q 'max-tokens 5' out_of/list.json || fail "too much is masked"
clean t.db* out_of

# --- of the server's answers ---------------------------------------------------

# Every path that can be read, of the run with the secrets.
if command -v curl >/dev/null; then
    id=$(jq -r '.runs[0].run.id' out_of/list.json)
    "$ortmeter" serve --db t.db 2>serve.err &
    server=$!
    trap 'kill $server 2>/dev/null || true' EXIT
    await grep -q 'serving at' serve.err
    base=$(sed -n 's|.*serving at \(.*\)/#token=.*|\1|p' serve.err)
    mkdir answers
    curl -s "$base/api/openapi.json" >answers/openapi.json
    jq -r '.paths | to_entries[] | select(.value.get) | .key' \
        answers/openapi.json | grep -v '^/ws/\|{file}\|{panel}' >paths
    [ "$(wc -l <paths)" -gt 15 ] || fail "the paths are not found"
    while read -r path; do
        path=${path/\{run_id\}/$id}
        case $path in
        /api/compare) path="$path?a=$id&b=$id" ;;
        esac
        curl -s "$base$path" >"answers/${path//[\/?&=]/_}"
    done <paths
    grep -q 'max-tokens 5' answers/_api_report ||
        fail "the run is not in the answers"
    clean answers "${XDG_STATE_HOME:-none}"
    kill "$server"
    wait "$server" || true
fi

# The search itself finds one.
cp program out_of/with
echo Pl4nted >>out_of/with
[ "$(planted out_of)" = out_of/with ] || fail "nothing was searched"
