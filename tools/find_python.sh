#!/bin/sh
# find_python.sh VERSION -- prints the path of a Python 3.x, from PATH or pyenv;
# fails where there is none.
set -eu

for python in "$(command -v "python$1" || true)" \
    "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
    [ -x "$python" ] || continue
    # What is on PATH may be a script that stands in for it.
    "$python" -c 'import sys; print(sys.executable)' 2>/dev/null || continue
    exit
done
exit 1
