#!/bin/bash
# The wheel, as `pip install .` makes it of a clean clone, in a fresh venv without
# network: the program is there, measures Python, and leaves nothing when it goes;
# auditwheel has nothing to move.  What is installed as it is edited has the command
# and finds its library, too.  An sdist is the clone, file by file.
. "$(dirname "$0")/lib.sh"
. "$here/python_lib.sh"

use_python 3.11
packages=$PYTHONPATH
tools=$wheels/packaging
and_set packaging
unset PYTHONPATH
need_tool git
git -C "$SRC" rev-parse HEAD >/dev/null 2>&1 || skip "$SRC is no clone"

# pip with what builds a wheel, and nothing else of ours.
with_tools() { # command...
    PYTHONPATH=$tools PATH=$tools/bin:$PATH "$@"
}

files_of_venv() {
    (cd venv && find . -name __pycache__ -prune -o -type f -print | sort)
}

put_in() { # wheel
    venv/bin/pip install --quiet --no-index "$1" || fail "pip cannot install $1"
    cmp venv/bin/ortmeter <(unzip -p "$1" '*/scripts/ortmeter') ||
        fail "venv/bin/ortmeter is not the program itself"
}

take_out() {
    venv/bin/pip uninstall --quiet --yes ortmeter
    files_of_venv >after
    cmp before after || fail "something is left: $(diff before after)"
}

# What it is to import, and that pytest will find its plugin.
try_package() {
    PYTHONPATH=$packages venv/bin/python - "$model" own.db >out <<'END' || fail "the package"
import sys
from importlib.metadata import entry_points

import numpy as np
import onnxruntime as ort
import ortmeter
from ortmeter.etw_monitor import ETWMonitor

s = ort.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
with ortmeter.record(sys.argv[2]) as run:
    with ortmeter.monitor.section("pre", "mine"):
        s.run(None, {"x": np.ones((3, 64), np.float32)})
with ETWMonitor() as m:
    assert m.get_process_summary()
assert "ortmeter.pytest_plugin" in str(entry_points(group="pytest11"))
print(run.report()["latency"]["count"], [s["section_name"] for s in run.sections])
END
    [ "$(cat out)" = "1 ['mine']" ] || fail "the package: $(cat out)"
}

try_program() { # command...
    [ "$("$@" --version)" = "$("$ortmeter" --version)" ] || fail "$* --version"
    rm -f t.db
    PYTHONPATH=$packages "$@" run --quiet -o run.json --db t.db -- \
        venv/bin/python "$programs_py/few.py" "$model" 29 >out
    counted 29
}

# What is built for the wheel serves what is edited, too.
built=(--no-index --no-deps --no-build-isolation --config-settings "builddir=$TMPDIR/built")

echo "an sdist"
git clone --quiet "$SRC" clone
(cd clone && with_tools "$python" -c 'import mesonpy; mesonpy.build_sdist("..")') \
    >sdist.log 2>&1 || fail "$(tail -n 20 sdist.log)"
tar -xzf ortmeter-*.tar.gz
diff -r --exclude .git --exclude PKG-INFO clone ortmeter-*/ ||
    fail "the sdist is not the clone"

echo "a wheel"
with_tools "$python" -m pip wheel --quiet --disable-pip-version-check "${built[@]}" \
    --wheel-dir dist ./clone >pip.log 2>&1 || fail "$(tail -n 20 pip.log)"
wheel=(dist/ortmeter-*-py3-none-*.whl)
[ -e "${wheel[0]}" ] || fail "it made $(ls dist)"
[ "$(stat -c %s "${wheel[0]}")" -lt 10000000 ] || fail "it is over 10 MB"
"$python" -m venv venv
files_of_venv >before
put_in "${wheel[0]}"
try_program venv/bin/ortmeter
try_program venv/bin/python -m ortmeter
try_package
take_out

echo "repaired"
with_tools "$python" -m auditwheel show "${wheel[0]}" >audit.log 2>&1 ||
    fail "$(tail -n 5 audit.log)"
grep -o 'manylinux_[0-9_]*x86_64' audit.log | head -n 1
with_tools "$python" -m auditwheel repair -w repaired "${wheel[0]}" \
    >audit.log 2>&1 || fail "$(tail -n 5 audit.log)"
unzip -q -d whole "${wheel[0]}"
unzip -q -d repaired/whole repaired/*manylinux*.whl
diff -r --exclude '*.dist-info' whole repaired/whole || fail "libraries were moved"
put_in repaired/*manylinux*.whl
try_program venv/bin/ortmeter
take_out

echo "installed as it is edited"
with_tools venv/bin/pip install --quiet "${built[@]}" -e ./clone >pip.log 2>&1 ||
    fail "$(tail -n 20 pip.log)"
export PATH=$tools/bin:$PATH # it looks whether it is built
try_program venv/bin/python -m ortmeter
try_program venv/bin/ortmeter
try_package
take_out
