#!/bin/sh
# screenshots.sh -- the page on a run of the demo, light and dark, into docs/img.
set -eu
cd "$(dirname "$0")/.."
out=docs/img
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SHOTS=$work/shots ONLY=others,live TMPDIR=$work XDG_DATA_HOME=$work/data \
    XDG_CONFIG_HOME=$work/config SRC=$PWD bash tests/e2e/page.sh
mkdir -p "$out"
for name in live-light live-dark run-light-1440 run-dark-1440 timeline-light-1440 \
    timeline-dark-1440 graph-light-1440 graph-dark-1440 compare-light-1440 \
    system-light-1440 energy-light-1440 run-light-390 run-dark-390; do
    cp "$work/shots/$name.png" "$out/page-$name.png"
done
