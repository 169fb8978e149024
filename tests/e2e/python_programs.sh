#!/bin/bash
# Programs from PyPI that carry their models: their output is what it is without
# the meter, and sessions and inferences are what a wrapper in Python counts.
. "$(dirname "$0")/lib.sh"
. "$here/python_lib.sh"

meter_options+=(--quiet)

same_count() { # program, arguments...
    compare "$python" "$programs_py/count.py" "$@"
    read -r _ sessions inferences < <(tail -n 1 err)
    is '.sessions | length' "$sessions"
    counted "$inferences"
    echo "${1##*/}: $sessions sessions, $inferences inferences"
}

use_python 3.11
[ -e "$wheels/programs/set.txt" ] ||
    skip "there is no build/python/programs: tools/deps.sh python"
export PYTHONPATH=$wheels/programs
same_count "$programs_py/use_magika.py"
same_count "$programs_py/use_rapidocr.py"
[ -e "$wheels/silero/set.txt" ] ||
    skip "there is no build/python/silero: tools/deps.sh python"
same_count "$programs_py/use_silero.py" \
    "$wheels/silero/silero_vad/data/silero_vad.onnx"
