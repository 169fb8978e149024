#!/bin/bash
# Every view of the page, light and dark, on a screen and on a phone: nothing is
# wider than the window, axe finds nothing serious, and no host but ours is
# asked.  Beside page.sh, which drives it, since each takes minutes.
ONLY=${ONLY:-compareSets,others} exec "$(dirname "$0")/page.sh"
