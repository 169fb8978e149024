#!/bin/bash
# The package that people import: its own tests (tests/python) on every Python
# that is here, mypy and ruff, its version, and how long its import takes.
. "$(dirname "$0")/lib.sh"
. "$here/python_lib.sh"

# Packages of a set that were made for a version of Python.
tests_of() { # version of Python
    [ -e "$wheels/package-$1/set.txt" ] && echo "$wheels/package-$1"
}

[ -n "$(tests_of 3.8)$(tests_of 3.11)$(tests_of 3.13)" ] ||
    skip "there is no build/python/package-*: tools/deps.sh python"
export MODEL=$model ORTMETER_DB=$TMPDIR/own.db
for version in 3.8 3.11 3.13; do
    (use_python "$version") >why || { echo "$version: $(cat why)" && continue; }
    use_python "$version"
    pytest=$(tests_of "$version") || { echo "$version: there is no pytest" && continue; }
    export PYTHONPATH=$SRC/python:$PYTHONPATH:$pytest
    "$python" -m pytest -q -rs -p no:cacheprovider --rootdir "$SRC/tests/python" \
        --basetemp "$TMPDIR/base" "$SRC/tests/python" >tests.log 2>&1 ||
        fail "$set_name: $(tail -n 40 tests.log)"
    echo "$set_name: $(tail -n 1 tests.log)"
    [ "$("$ortmeter" --version)" = "ortmeter $("$python" -c \
        'import ortmeter; print(ortmeter.__version__)')" ] ||
        fail "the package and the program have two versions"
    # Compiled, as pip leaves it; the fastest, as others want the processor, too.
    rm -rf copy && mkdir copy && cp -r "$SRC/python/ortmeter" copy/
    "$python" -m compileall -q copy
    for ((i = 0; i < 9; i++)); do
        PYTHONPATH=copy PATH=$BUILD:$PATH "$python" -X importtime -c 'import ortmeter' 2>&1 |
            awk -F '|' '$3 ~ /^ ortmeter$/ { print $2 / 1000 }'
    done | sort -n | head -n 1 | sed 's/.*/  import ortmeter: & ms (aim 20)/'
done

checks=$(tests_of 3.11) || skip "there is no build/python/package-3.11"
use_python 3.11
PYTHONPATH=$checks:$PYTHONPATH "$python" -m mypy --no-error-summary \
    --cache-dir "$TMPDIR/mypy" --config-file "$SRC/pyproject.toml" \
    "$SRC/python/ortmeter" || fail "mypy finds something"
"$checks/bin/ruff" check --no-cache --quiet --config "$SRC/pyproject.toml" \
    "$SRC/python" "$SRC/tests/python" || fail "ruff finds something"
