#!/bin/bash
# Small things that a trial stumbled over.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Two ways to ask for help.
for verb in run bench report compare export; do
    diff <("$ortmeter" help $verb) <("$ortmeter" $verb --help) ||
        fail "help $verb is not $verb --help"
done

# Several models, two sessions of one of them: every line says which it is of.
meter "$programs/threads" 101 "$models/mlp.onnx" "$models/convnet.onnx" \
    "$models/mlp.onnx"
[ "$rc" -eq 0 ] || fail "the program failed"
"$ortmeter" report last --db t.db >text
grep -qE '^  mlp, session [0-9]+(, thread [0-9]+ \(.+\))?  on CPU' text ||
    fail "two sessions of one model look alike: $(cat text)"
grep -qE '^  convnet  on CPU' text || fail "a model of its own is numbered"
holds '[.threads[]? | .name] | length >= 1' # as they call themselves
[ "$(grep -c 'no energy source' text)" -le 1 ] || fail "more than a line"
! grep -q '^ *rapl-' text || fail "sensors that are not there are listed"

# Nothing is of a model that is not said: rows of JSON, tables, lines.
holds '[.ops, .op_types, .components, .fusion, .placement, .gaps.sessions | .[]] |
    length > 20 and all(.model == "mlp" or .model == "convnet")'
"$ortmeter" export last --db t.db -f html -o page.html
for name in mlp convnet; do
    for line in "$name" "nodes +$name: .*"; do
        grep -qE "^  $line$" text || fail "no '$line' in: $(cat text)"
    done
    for table in 'Operators by type' 'Operators' 'Time of an inference'; do
        grep -qE "<h2>${table}[:;].*$name" page.html ||
            fail "the page has no $table of $name"
    done
done

# Sessions of one model in two processes; a process is what it became by exec.
# shellcheck disable=SC2016 # theirs
meter sh -c '"$0" "$1" 3; "$0" "$1" 3' "$programs/linked" "$models/mlp.onnx"
"$ortmeter" report last --db t.db >two
for pid in $(field '.run.processes[].pid'); do
    grep -qE "^  mlp, session [0-9]+, process $pid  on CPU" two ||
        fail "process $pid has no session: $(cat two)"
done
meter sh -c 'exec "$@"' sh "$programs/linked" "$models/mlp.onnx" 11
holds '.run.processes | length == 1 and all(.program |
    test("^[^ ]*/linked "))'

# Threads are called what they call themselves, also those of node.
meter node "$here/infer.cjs" "$npm/onnxruntime-node" "$silero" 11 \
    "${silero_inputs[@]}"
holds '.threads | length >= 1 and all(.name | test("^[a-zA-Z][^ ]*"))'
"$ortmeter" report last~3 --db t.db --json >run.json

# A timeline's slices are named by model and phase, threads by their names.
"$ortmeter" export last~3 --db t.db -f chrome -o trace.json
for name in mlp convnet; do
    [ "$(jq --arg name $name '[.traceEvents[] | select(.name == $name and
        .cat == "Session")] | length' trace.json)" -ge 101 ] ||
        fail "no slice is called $name"
done
jq -e '[.traceEvents[] | select(.name == "thread_name") | .args.name] |
    any(startswith("thread ") | not)' trace.json >/dev/null ||
    fail "threads have no names"

# The page: host, resources, nodes, operators by type, marks, light and dark.
for what in '<h2>Host' '<h2>Resources' '<h2>Nodes' '<h2>Operators by type' \
    'prefers-color-scheme:dark' 'text-anchor="middle"'; do
    grep -q -- "$what" page.html || fail "the page has no $what"
done
meter "$programs/failing" "$models/mlp.onnx" 7 || true
"$ortmeter" export last --db t.db -f html -o page.html
grep -q '<h2>Warnings' page.html || fail "nothing warns of failures"

# Plain ASCII where the locale is C, but not in JSON.
for words in 'report last~4' list 'compare last~4 last~2' doctor energy \
    'watch --duration 0.1'; do
    # shellcheck disable=SC2086 # words
    LC_ALL=C ORTMETER_DB=t.db "$ortmeter" $words >text 2>err || true
    [ -s text ] || fail "$words says nothing: $(cat err)"
    ! grep -qP '[^\x00-\x7f]' text || fail "$words: not ASCII: $(cat text)"
done
cp "$models/mlp.onnx" µ.onnx
LC_ALL=C "$ortmeter" bench µ.onnx --count 9 --db t.db --json |
    jq -e '.sessions[0].model == "µ"' >/dev/null || fail "JSON was changed"

# A folder of tables, each with a head, that a reader of CSV takes at once.
"$ortmeter" export last --db t.db -f csv -o tables
for file in tables/*.csv; do
    ! head -n 1 "$file" | grep -q '^#' || fail "$file begins with a comment"
done
[ -s tables/inferences.csv ] || fail "there is no table of inferences"
python3 - tables/*.csv <<'END' || fail "not rectangular"
import csv, sys
for name in sys.argv[1:]:
    with open(name, newline="") as f:
        rows = list(csv.reader(f, strict=True))
    assert len(set(rows[0])) == len(rows[0]) and all(rows[0]), name
    assert all(len(r) == len(rows[0]) for r in rows), name
END

# A meter inside a meter says so.
"$ortmeter" run -q --db outer.db -- "$ortmeter" run -q --db inner.db -- \
    "$programs/linked" "$models/mlp.onnx" 3 >out 2>err
grep -q 'inside another' err || fail "not said: $(cat err)"
[ "$(sqlite3 inner.db 'SELECT count(*) FROM inferences')" = 3 ] ||
    fail "the inner one has not 3"

# A terminal that can do nothing, and tags and ids where runs are named.
rc=0
TERM=dumb "$ortmeter" top >out 2>err || rc=$?
[ "$rc" -ne 0 ] || fail "TERM=dumb was drawn on"
[ "$(wc -l <err)" -eq 1 ] || fail "TERM=dumb: $(cat err)"
"$ortmeter" tag last v1 --db t.db >/dev/null
diff <("$ortmeter" report v1 --db t.db) <("$ortmeter" report last --db t.db) ||
    fail "a tag does not name a run"
rc=0
"$ortmeter" delete v1 --db t.db >out 2>err || rc=$?
refused 1 v1

# "…/onnx/model.onnx" is named by the folder above.
mkdir -p whisper/onnx
cp "$models/mlp.onnx" whisper/onnx/model.onnx
meter "$programs/linked" whisper/onnx/model.onnx 3
is '.sessions[0].model' whisper
