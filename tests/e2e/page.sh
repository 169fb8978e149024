#!/bin/bash
# The page in a real browser, on the real server: driven by mouse and by keys,
# its figures compared with the API's.  page.mjs says what is looked at; ONLY
# names the parts, all but those of page_views.sh if it is not given.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

need_tool node
browser=$(command -v chromium || command -v chromium-browser) || skip "there is no chromium here"
[ -d "$SRC/web/node_modules/playwright-core" ] || skip "web/node_modules is missing: tools/deps.sh test"
[ -d "$SRC/web/node_modules/axe-core" ] || skip "web/node_modules is missing: tools/deps.sh test"
[ -s "$BUILD/web/dist/index.html" ] || skip "the page was not built"

export ORTMETER_DB=$TMPDIR/t.db XDG_STATE_HOME=$TMPDIR/state
# Some runs of a model and of the same without graph optimisation, in turns.
for _ in 1 2 3 4 5 6 7; do
    for level in all disabled; do
        "$ortmeter" bench "$models/convnet.onnx" --level $level --threads 1 --count 100 \
            --ops 10 --energy off --tag level-$level --quiet 2>err || fail "$(cat err)"
    done
done
for _ in 1 2; do
    "$ortmeter" run --ops all --energy model --quiet \
        --alert 'inference_duration_seconds > 1us note' -- node "$SRC/demo/demo.mjs" >out 2>err ||
        fail "the demo did not run"
done
export ONLY=${ONLY:-storedRun,timeline,graph,compare,runs,live,devices,signIn,embedded,demo}
export BROWSER=$browser ORTMETER=$ortmeter
export LIVE="$SRC/demo/demo.mjs" SAMPLE="$SRC/samples/embed.html"
# A made /sys for the collector, where a mount namespace may be had.
if unshare -rm mount --bind "$TMPDIR" /sys 2>/dev/null; then export NAMESPACES=1; fi
node "$here/page.mjs" "$SRC/web" >page.log 2>&1 || {
    cat page.log >&2
    fail "page.mjs: $(tail -n 1 page.log)"
}
tail -n 3 page.log
