#!/bin/bash
# Ways to start Python: isolated, in a venv, with children of every kind, under
# pytest, gunicorn, uvicorn and uv; and two copies of onnxruntime in one process.
. "$(dirname "$0")/lib.sh"
. "$here/python_lib.sh"

# The same as meter(), in the background; $metered is the meter.
meter_later() { # command...
    rm -f run.json
    "$ortmeter" run "${meter_options[@]}" -o run.json --db t.db -- "$@" \
        >out 2>err &
    metered=$!
}

use_python 3.11
few=$programs_py/few.py
meter_options+=(--quiet)

echo "isolated, without site, without the environment"
export ORTMETER_TEST_PATH=$PYTHONPATH
compare_all "$python" -I -S -E "$few" "$model" 11
counted 11

echo "as a module"
cd "$programs_py"
PYTHONPATH=$PYTHONPATH:. "$ortmeter" run --quiet -o "$TMPDIR/run.json" \
    --db "$TMPDIR/t.db" -- "$python" -m few "$model" 7 >/dev/null
cd "$TMPDIR"
counted 7

echo "in a venv"
"$python" -m venv --without-pip venv
compare_all venv/bin/python "$few" "$model" 13
counted 13

for how in fork spawn forkserver pool; do
    echo "children by $how"
    compare "$python" "$few" "$model" 5 "$how"
    counted 15
done

echo "two copies in one process"
other=$wheels/3.11-1.20.1
if [ -d "$other" ]; then
    compare "$python" "$programs_py/two.py" "$model" 21 "$other"
    counted 43
    is '.sessions | map(.latency.count) | join(",")' 21,22
    is '.run.runtimes | map(.version) | join(",")' 1.31.1,1.20.1
fi

echo "under pytest"
and_set tools
cat >test_few.py <<'END'
import numpy as np, onnxruntime as ort

def test_few():
    s = ort.InferenceSession("MODEL", providers=["CPUExecutionProvider"])
    for _ in range(17):
        s.run(None, {"x": np.ones((3, 64), np.float32)})
END
sed -i "s|MODEL|$model|" test_few.py
meter "$python" -m pytest -q -p no:cacheprovider test_few.py
[ "$rc" -eq 0 ] || fail "pytest failed: $(cat out)"
counted 17

echo "workers of gunicorn"
export MODEL=$model
PYTHONPATH=$PYTHONPATH:$programs_py meter_later "$python" -m gunicorn --workers 2 \
    --bind "unix:$TMPDIR/socket" --pid "$TMPDIR/pid" served:app
await test -S socket
for ((i = 0; i < 23; i++)); do
    curl --silent --fail --unix-socket socket http://localhost/ >>answers
done
kill "$(cat pid)"
wait "$metered"
[ "$(cut -d ' ' -f 1 answers | sort | uniq -c | wc -l)" -eq 1 ] || fail "$(cat answers)"
counted 23

echo "workers of uvicorn"
if [ -d "$wheels/tools/uvicorn" ]; then
    rm -f answers
    PYTHONPATH=$PYTHONPATH:$programs_py meter_later "$python" -m uvicorn --workers 2 \
        --interface wsgi --uds "$TMPDIR/another" served:app
    await curl --silent --fail --unix-socket another http://localhost/ -o answers
    for ((i = 0; i < 22; i++)); do
        curl --silent --fail --unix-socket another http://localhost/ >>answers
    done
    kill "$metered" # which passes it on
    wait "$metered" || true
    counted 23
fi

echo "started by uv"
if [ -x "$wheels/tools/bin/uv" ]; then
    meter "$wheels/tools/bin/uv" run --no-project --offline \
        --python "$python" "$few" "$model" 19
    [ "$rc" -eq 0 ] || fail "uv run: $(cat err)"
    counted 19
fi
