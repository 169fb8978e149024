#!/bin/bash
# Runs are found, tagged, deleted and pruned; a database may be encrypted.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
need_tool sqlite3

om() { # verb...: output in out.json, one sentence on stderr where it fails
    rc=0
    "$ortmeter" "$@" >out.json 2>err || rc=$?
}

good() { # verb...
    om "$@"
    [ "$rc" -eq 0 ] || fail "$1 failed: $(cat err)"
}

says() { # jq's path, what it must be
    local got
    got=$(jq -r "$1" out.json) || fail "no JSON: $(cat out.json)"
    [ "$got" = "$2" ] || fail "$1 is $got, not $2"
}

record() { # count, options of run...
    "$ortmeter" run --quiet "${@:2}" -- "$programs/linked" \
        "$models/mlp.onnx" "$1" >/dev/null || fail "a run failed"
}

# --- finding -----------------------------------------------------------------

export ORTMETER_DB=t.db
record 11 --tag one --tag both
record 22 --tag two --tag both
record 33

good list --json
says '[.runs[].inferences] | join(",")' 33,22,11
good list --json --tag both --reverse
says '[.runs[].inferences] | join(",")' 11,22
good list --json --tag both --tag two
says '[.runs[].inferences] | join(",")' 22
good list --json --model MLP --sort duration -n 2 --offset 1
says .total 3
says '.runs | length' 2
says .offset 1
good list --json --from 1h --to 2100-01-01
says .total 3
good list --json --to 1h
says .total 0
good list --json --metric timed_inferences
says '[.runs[].metric.value] | join(",")' 33,22,11
om list --from never
refused 2 never
om list --metric none
refused 2 none
om list --sort size
refused 2 size

# --- tags --------------------------------------------------------------------

good tag last fresh 'two words' --experiment trial --json
says '.tags | join("|")' 'fresh|two words'
good tag last --remove fresh --json
says '.tags | join("|")' 'two words'
good list --json --experiment trial
says .total 1
om tag last a,b
refused 2 comma
om tag none x
refused 1 none

# --- deleting ----------------------------------------------------------------

good list --json
doomed=$(jq -r '.runs[0].run.id' out.json)
good delete "$doomed" --json
says '.deleted[0]' "$doomed"
om delete "$doomed"
refused 1 'no run'
om delete
refused 2 'no run'
! grep -qa 'two words' t.db* || fail "a deleted tag is still in the file"
good prune --keep 1 --dry-run --json
says .matched 1
good prune --older-than 1h --json
says .deleted 0
good prune --keep 1 --json
says .deleted 1
good list --json
says '[.runs[].inferences] | join(",")' 22
om prune
refused 2 'older-than'
good vacuum --json
holds_after=$(jq '.bytes_after <= .bytes_before' out.json)
[ "$holds_after" = true ] || fail "the database grew: $(cat out.json)"
good vacuum --check --json
says .whole true
[ "$(sqlite3 t.db 'PRAGMA integrity_check')" = ok ] || fail "t.db is damaged"

# --- one that is damaged -----------------------------------------------------

cp t.db damaged.db
dd if=/dev/urandom of=damaged.db bs=4096 seek=20 count=30 conv=notrunc \
    2>/dev/null
om vacuum --check --db damaged.db
[ "$rc" -eq 1 ] || fail "a damaged database is called whole"
[ "$(wc -l <err)" -eq 1 ] || fail "not one sentence: $(cat err)"

# --- encrypted ---------------------------------------------------------------

head -c 32 /dev/urandom | base64 >key
head -c 32 /dev/urandom | base64 >other
echo short >short
record 44 --db sealed.db --key-file key --tag PLAIN-WORD
! grep -qa 'PLAIN-WORD\|mlp.onnx\|SQLite' sealed.db* || fail "it is readable"
[ "$(stat -c %a sealed.db)" = 600 ] || fail "others may read sealed.db"
good list --json --db sealed.db --key-file key --tag PLAIN-WORD
says '[.runs[].inferences] | join(",")' 44
good report --db sealed.db --key-file key --json
says .latency.count 44
om list --db sealed.db --key-file other
refused 1 'key does not open'
om list --db sealed.db
refused 1 encrypted
om list --db t.db --key-file key
refused 1 'not encrypted'
om list --db sealed.db --key-file short
refused 1 'openssl rand'
om list --db sealed.db --key-file nowhere
refused 1 nowhere
ORTMETER_KEY_FILE=key good list --json --db sealed.db
says .total 1

export ORTMETER_PASSPHRASE='correct horse'
record 5 --db phrase.db
good list --json --db phrase.db
says .total 1
ORTMETER_PASSPHRASE=battery om list --db phrase.db
refused 1 'key does not open'
good doctor --json
says .configuration.encryption.key ORTMETER_PASSPHRASE
says .configuration.encryption.method 'AES-256-GCM by OpenSSL'
