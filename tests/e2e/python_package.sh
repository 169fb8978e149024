#!/bin/bash
# The package that people import: its own tests, mypy and ruff.
. "$(dirname "$0")/lib.sh"
. "$here/python_lib.sh"

test_package 3.11
"$python" -m mypy --no-error-summary --cache-dir "$TMPDIR/mypy" \
    --config-file "$SRC/pyproject.toml" "$SRC/python/ortmeter" || fail "mypy finds something"
"$wheels/package-3.11/bin/ruff" check --no-cache --quiet --config "$SRC/pyproject.toml" \
    "$SRC/python" "$SRC/tests/python" || fail "ruff finds something"
