#!/bin/bash
# Libraries come and go in one thread, ONNX Runtime in another, and a
# constructor loads a third: nobody waits for ever.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

compare "$programs/load_storm" "$ort" "$programs/busy.so" \
    "$programs/plugin_loader.so" 60
[ "$rc" -eq 0 ] || fail "the storm ended with $rc"
