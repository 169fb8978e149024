#!/bin/sh
# wheel.sh [DIR] -- builds the wheel into DIR, build/wheel if none is named, and
# prints its path.  What it needs of PyPI is in build/python/packaging; then
# there is no network needed.
set -eu
cd "$(dirname "$0")/.."

out=${1:-build/wheel}
python=$(tools/find_python.sh 3.11 || command -v python3)
tools=$PWD/build/python/packaging
rm -rf "$out"
mkdir -p "$out"
if ! PYTHONPATH=$tools PATH=$tools/bin:$PATH "$python" -m pip wheel --quiet \
    --disable-pip-version-check --no-deps --no-build-isolation \
    --wheel-dir "$out" . >"$out/log" 2>&1; then
    tail -n 30 "$out/log" >&2
    exit 1
fi
ls "$out"/*.whl
