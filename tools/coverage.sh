#!/bin/bash
# coverage.sh -- the share of lines of src/ and hook/ that the unit and the
# end-to-end tests reach, by file and in all; fails below LEAST percent (85).
#
# Whether the tests pass is `make test`'s business: some of them look at how the
# hook is built, and it is built otherwise here.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=build/coverage
least=${LEAST:-85}
jobs=${JOBS:-2}
export GCOV_ERROR_FILE=/dev/null # programs that may not write stay silent

tools/deps.sh build run test coverage
tools/configure.sh "$dir" -Db_coverage=true
find "$dir" -name '*.gcda' -delete
ninja -C "$dir" --quiet -j "$jobs"
ln -sfn ../npm "$dir/npm"

meson test -C "$dir" --num-processes "$jobs" --timeout-multiplier 3 \
    >"$dir/unit.log" 2>&1 || true
E2E_BUILD=$PWD/$dir tools/test.sh e2e/ >"$dir/e2e.log" 2>&1 || true
echo "end-to-end tests in this build: $(cat build/test/summary)"

gcovr --root . --object-directory "$dir" --filter src/ --filter hook/ \
    --json-summary "$dir/coverage.json" >/dev/null
jq -r '.files[] | [.line_percent, .filename] | @tsv' "$dir/coverage.json" |
    awk -F '\t' '{ printf "%6.1f %% %s\n", $1, $2 }'

# Compiled, but not so that its lines are counted.
jq -r '.[].file' "$dir/compile_commands.json" |
    grep -oE '(src|hook)/[^ ]*\.c$' | sort -u | while read -r file; do
    [ -n "$(find "$dir" -name "${file//\//_}.gcno" -print -quit)" ] ||
        echo "not counted: $file"
done

jq -r '"\(.line_percent) % in all, \(.line_covered) of \(.line_total) lines"' \
    "$dir/coverage.json"
if ! jq -e --argjson least "$least" '.line_percent >= $least' \
    "$dir/coverage.json" >/dev/null; then
    echo "less than $least % of the lines are reached" >&2
    exit 1
fi
