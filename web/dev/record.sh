#!/bin/sh
# record.sh FOLDER -- what dev/server.mjs answers with: two runs of the demo,
# as ortmeter itself writes them.  Needs build/ortmeter and node.
set -eu
folder=${1:?usage: record.sh FOLDER}
cd "$(dirname "$0")/../.."
mkdir -p "$folder"
ORTMETER_DB=$folder/runs.db
export ORTMETER_DB
for _ in 1 2; do
    build/ortmeter run --ops all --energy model --quiet -- node demo/demo.mjs >"$folder/run.log" 2>&1
done
build/ortmeter report last~1 --json >"$folder/report.json"
build/ortmeter energy last~1 --json >"$folder/energy.json"
build/ortmeter export -f json last~1 -o "$folder/export.json"
build/ortmeter compare last~1 last --json >"$folder/compare.json"
build/ortmeter doctor --json >"$folder/doctor.json"
