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
