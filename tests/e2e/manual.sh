#!/bin/bash
# The manual page and --help know the same verbs and, of each, the same options.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

page=$SRC/docs/ortmeter.1

options() { # a text with options in it, one a line and sorted
    sed 's/\\//g' | grep -oP '(?<![\w-])(--[a-z]+|-[a-z](?=[ ,"]|$))' | sort -u
}

section() { # verb: its part of the page, without the prose
    awk -v verb="$1" '/^\.S[SH] / { on = $2 == verb } on && /^\.B/' "$page"
}

"$ortmeter" --help | grep -oP '^  \K[a-z]+(?= {2,})' | sort >verbs
sed -n 's/^\.SS //p' "$page" | sort >verbs.page
diff verbs verbs.page || fail "the page has other verbs than --help"
[ -s verbs ] || fail "--help names no verb"

while read -r verb; do
    "$ortmeter" "$verb" --help | sed -n '/^Options:/,/^$/p' |
        grep '^  -' | options >help.options
    section "$verb" | options >page.options
    [ -s help.options ] || fail "$verb --help names no option"
    diff help.options page.options ||
        fail "$verb has other options on the page (>) than in --help (<)"
done <verbs
