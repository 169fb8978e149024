#!/bin/bash
# bench_serve.sh [SECONDS [IDLE-SECONDS]] -- what the server gives to its clients
# and what that costs: bench/serve.mjs.  BUILD names another build directory.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath "${BUILD:-build}")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
node bench/serve.mjs "$build" "$tmp" "${1:-10}" "${2:-600}"
