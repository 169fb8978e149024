#!/bin/bash
# A program that ends while daemon threads are in run() ends as it does without
# the meter: 25 pairs, by what each kind of end comes to.
. "$(dirname "$0")/lib.sh"
. "$here/python_lib.sh"

use_python 3.11
meter_options+=(--quiet --ops off)
declare -A without with
for ((i = 0; i < 25; i++)); do
    plain timeout 60 "$python" "$programs_py/exit.py" "$model"
    meter timeout 60 "$python" "$programs_py/exit.py" "$model"
    without[$plain_rc]=$((${without[$plain_rc]:-0} + 1))
    with[$rc]=$((${with[$rc]:-0} + 1))
done
for status in "${!without[@]}"; do
    echo "exit status $status: ${without[$status]} without, ${with[$status]:-0} with"
done
# What is rare may have come only once, and under the meter: it is waited for.
for status in "${!with[@]}"; do
    for ((i = 0; i < 75 && ${without[$status]:-0} == 0; i++)); do
        plain timeout 60 "$python" "$programs_py/exit.py" "$model"
        without[$plain_rc]=$((${without[$plain_rc]:-0} + 1))
    done
    [ -n "${without[$status]:-}" ] ||
        fail "${with[$status]} of 25 end with $status only under the meter"
done
