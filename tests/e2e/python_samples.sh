#!/bin/bash
# Every program in samples/python does what its first lines promise, under the
# meter, with the right counts and sections in the run.
. "$(dirname "$0")/lib.sh"
. "$here/python_lib.sh"

use_python 3.11
and_set samples
samples=$SRC/samples/python
export PYTHONPATH=$SRC/python:$PYTHONPATH:$samples MODEL=$model
meter_options+=(--quiet)

sections() { # name; how many of it are in the run
    "$ortmeter" export --quiet -f jsonl --table pipeline_sections --db t.db |
        jq -s --arg name "$1" 'map(select(.section_name == $name)) | length'
}

echo "asyncio"
compare "$python" "$samples/asyncio_requests.py" "$model" 40
[ "$(cat out)" = "40 answers" ] || fail "$(cat err)"
counted 40
[ "$(sections request)" -eq 40 ] || fail "$(sections request) sections, not 40"

echo "generation"
llama=${DATA:-$SRC/../shared/data}/llm/models/llama/optimum/model.onnx
if [ -e "$llama" ]; then
    compare "$python" "$samples/generate.py" "$llama" 12
    counted 12
    is .phases.prefill.count 1
    is .phases.decode.count 11
    is .tokens.count 12
    [ "$(sections prompt) $(sections tokens)" = "1 1" ] || fail "no sections"
else
    echo "there is no $llama"
fi

echo "a service"
"$ortmeter" run "${meter_options[@]}" -o run.json --db t.db -- "$python" -m gunicorn \
    --workers 2 -k uvicorn.workers.UvicornWorker --bind "unix:$TMPDIR/socket" \
    --pid "$TMPDIR/pid" service:app >out 2>err &
metered=$!
await curl --silent --fail --unix-socket socket http://localhost/classify -o answers
for ((i = 0; i < 30; i++)); do
    curl --silent --fail --unix-socket socket "http://localhost/classify?value=$i" >>answers
done
kill "$(cat pid)"
wait "$metered"
counted 31
[ "$(sections classify)" -eq 31 ] || fail "$(sections classify) sections, not 31"

echo "a notebook"
"$python" - "$samples/notebook.ipynb" <<'END' || fail "the notebook"
import sys

import nbformat
from nbclient import NotebookClient

book = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(book, timeout=300).execute()
shown = [o["data"] for c in book.cells if c.cell_type == "code" for o in c.outputs if "data" in o]
assert "<svg" in shown[0]["text/html"] and "50, 0 failed" in shown[0]["text/html"], shown[0]
assert shown[1]["text/plain"] == "50", shown[1]
assert "True" in shown[2]["text/plain"], shown[2]
END
