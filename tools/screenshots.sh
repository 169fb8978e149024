#!/bin/sh
# screenshots.sh -- the page on a run of the demo, into docs/img: a few pictures,
# since they are in the repository.  SHOTS=FOLDER tests/e2e/page_views.sh makes
# those of every view, light and dark, at 1440 and 390 px.
set -eu
cd "$(dirname "$0")/.."
out=docs/img
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SHOTS=$work/shots ONLY=others,live TMPDIR=$work XDG_DATA_HOME=$work/data \
    XDG_CONFIG_HOME=$work/config SRC=$PWD bash tests/e2e/page.sh
mkdir -p "$out"
for name in live-light run-light-1440 run-dark-390 timeline-dark-1440 graph-light-1440; do
    cp "$work/shots/$name.png" "$out/page-$name.png"
done
