#!/bin/bash
# A program that PyInstaller froze into one file is seen as any other.
. "$(dirname "$0")/lib.sh"
. "$here/python_lib.sh"

use_python 3.11
and_set tools
"$python" -m PyInstaller --onefile --log-level ERROR --name frozen \
    --distpath dist --workpath work --specpath . \
    "$programs_py/few.py" >freeze.log 2>&1 || fail "$(tail -n 5 freeze.log)"
unset PYTHONPATH
meter_options+=(--quiet)
compare dist/frozen "$model" 23
counted 23
is .run.ort.language Python
