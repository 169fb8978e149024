#!/bin/bash
# coverage.sh -- the share of lines of src/ and hook/ that the unit and the
# end-to-end tests reach, by file and in all; fails below LEAST percent (80).
#
# The library that is loaded into other programs cannot be counted there; its
# sources count where unit tests link them.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=build/coverage
least=${LEAST:-80}

tools/deps.sh build run test coverage
tools/configure.sh "$dir" -Db_coverage=true
find "$dir" -name '*.gcda' -delete
ninja -C "$dir" --quiet -j "${JOBS:-2}"
ln -sfn ../npm "$dir/npm"

status=0
meson test -C "$dir" --num-processes "${JOBS:-2}" --timeout-multiplier 3 \
    --print-errorlogs || status=1
E2E_BUILD=$PWD/$dir tools/test.sh e2e/ || status=1

gcovr --root . --object-directory "$dir" --filter src/ --filter hook/ \
    --exclude-unreachable-branches --json-summary "$dir/coverage.json" >/dev/null
jq -r '(.files[] | [.line_percent, .filename]),
    [.line_percent, "in all, \(.line_covered) of \(.line_total) lines"]
    | @tsv' "$dir/coverage.json" | awk -F '\t' '{ printf "%6.1f %% %s\n", $1, $2 }'
if ! jq -e --argjson least "$least" '.line_percent >= $least' \
    "$dir/coverage.json" >/dev/null; then
    echo "less than $least % of the lines are reached" >&2
    status=1
fi
exit "$status"
