#!/bin/bash
# bench_page.sh [MINUTES] -- how smooth the page is in Chromium: bench/page.mjs.
# BUILD names another build directory.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath "${BUILD:-build}")
browser=$(command -v chromium || command -v chromium-browser) || {
    echo "page: not measured, there is no chromium here"
    exit 0
}
if [ ! -d web/node_modules/playwright-core ] || [ ! -s "$build/web/dist/index.html" ]; then
    echo "page: not measured, its packages are missing: tools/deps.sh test"
    exit 0
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
node bench/page.mjs "$build" "$tmp" "$PWD/web" "$browser" "${1:-10}"
