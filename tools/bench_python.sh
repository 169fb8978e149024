#!/bin/bash
# bench_python.sh -- what capture adds to a call of run() in Python, and what the
# package's decorators and sections add to any call.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(tools/find_python.sh 3.11) || { echo "there is no Python 3.11" && exit; }
set=$(printf '%s\n' build/python/3.11-*/ | sort -V | tail -n 1)
[ -d "$set" ] || { echo "there is no onnxruntime: tools/deps.sh python" && exit; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
PYTHONPATH=$set ORT_DISABLE_TELEMETRY=1 build/ortmeter run --quiet --ops off \
    --db "$tmp/bench.db" -- "$python" bench/python_run.py
PYTHONPATH=python:build/python/decorators "$python" bench/python_package.py 2>"$tmp/err" ||
    { cat "$tmp/err" && exit 1; }
