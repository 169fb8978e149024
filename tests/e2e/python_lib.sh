# shellcheck shell=bash disable=SC2034 # most names are for the tests
# python_lib.sh -- what the tests with Python share, behind lib.sh.  The wheels
# come by `tools/deps.sh python` into build/python, a folder a set.

wheels=$SRC/build/python
programs_py=$SRC/tests/e2e/python
model=$models/mlp.onnx

# The Python of a set, whose packages it then finds: 3.11-1.31.1, or the newest
# onnxruntime for a version, 3.11.
use_python() { # set
    set_name=$1
    [ -d "$wheels/$1" ] || set_name=$(newest_set "$1")
    [ -e "$wheels/$set_name/set.txt" ] ||
        skip "there is no onnxruntime for Python $1: tools/deps.sh python"
    python=$("$SRC/tools/find_python.sh" "${set_name%%-*}") ||
        skip "there is no Python ${set_name%%-*}"
    export PYTHONPATH=$wheels/$set_name
    # Nothing is left beside the wheels' files.
    export PYTHONDONTWRITEBYTECODE=1
}

newest_set() { # version of Python
    local set
    for set in "$wheels/$1"-*; do
        echo "${set##*/}"
    done | sort -V | tail -n 1
}

# All sets of Python and onnxruntime that are there.
python_sets() {
    local file
    for file in "$wheels"/3.*/set.txt; do
        [ ! -e "$file" ] || basename "${file%/set.txt}"
    done
}

# Another set of packages on top.
and_set() { # name
    [ -e "$wheels/$1/set.txt" ] ||
        skip "there is no build/python/$1: tools/deps.sh python"
    export PYTHONPATH=$PYTHONPATH:$wheels/$1
}

# stdout, exit code and stderr are what they are without the meter.
compare_all() { # command...
    compare "$@"
    local said
    said=$(cat err)
    [ "$said" = "$(cat plain.err)" ] ||
        fail "$1 says something else on stderr under the meter"
}

# The package's own tests (tests/python), its version, and how long its import
# takes: a test for each Python, as all of them after one another take long.
test_package() { # version of Python
    use_python "$1"
    and_set "package-$1"
    export PYTHONPATH=$SRC/python:$PYTHONPATH MODEL=$model ORTMETER_DB=$TMPDIR/own.db
    "$python" -m pytest -q -rs -p no:cacheprovider --rootdir "$SRC/tests/python" \
        --basetemp "$TMPDIR/base" "$SRC/tests/python" >tests.log 2>&1 ||
        fail "$set_name: $(tail -n 40 tests.log)"
    echo "$set_name: $(tail -n 1 tests.log)"
    [ "$("$ortmeter" --version)" = "ortmeter $("$python" -c \
        'import ortmeter; print(ortmeter.__version__)')" ] ||
        fail "the package and the program have two versions"
    # Compiled, as pip leaves it; the fastest, as others want the processor, too.
    mkdir copy && cp -r "$SRC/python/ortmeter" copy/
    "$python" -m compileall -q copy
    for ((i = 0; i < 9; i++)); do
        PYTHONPATH=copy PATH=$BUILD:$PATH "$python" -X importtime -c 'import ortmeter' 2>&1 |
            awk -F '|' '$3 ~ /^ ortmeter$/ { print $2 / 1000 }'
    done | sort -n | head -n 1 | sed 's/.*/  import ortmeter: & ms (aim 20)/'
}
