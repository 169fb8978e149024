#!/bin/bash
# What is made from the verbs' tables: the manual page, and completions that
# shells understand.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

page=$BUILD/ortmeter.1
groff -man -Tascii -ww -z "$page" >out 2>&1
[ ! -s out ] || fail "groff complains: $(head -n 3 out)"
groff -man -Tascii -P-cbou "$page" >text

options() { # a text with options in it, one a line and sorted
    grep -oP '^ *(-[a-z], )?--?[a-z][a-z-]*' | grep -oP -- '--[a-z-]+$|-[a-z]$' |
        sort -u
}

"$ortmeter" --help | grep -oP '^  \K[a-z]+(?= {2,})' | sort >verbs
[ -s verbs ] || fail "--help names no verb"
for name in bash zsh fish; do
    "$ortmeter" completion $name >completion.$name
done
while read -r verb; do
    grep -q "^   $verb\$" text || fail "the page does not have $verb"
    "$ortmeter" "$verb" --help | sed -n '/^Options:/,/^Examples:/p' |
        options | grep -v -- '^--help$' >help.options
    [ -s help.options ] || fail "$verb --help names no option"
    awk -v verb="$verb" '/^   [a-z]+$/ { on = $1 == verb } /^[A-Z]/ { on = 0 }
        on' text | options >page.options
    comm -23 help.options page.options >missing
    [ ! -s missing ] || fail "the page lacks $(head -n 1 missing) of $verb"
done <verbs

# As somebody types it.
complete_bash() { # words..., the last one to be completed
    bash -c 'COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        . ./completion.bash && _ortmeter && printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$@"
}
[ "$(complete_bash ortmeter rep)" = report ] || fail "bash: no report"
[ "$(complete_bash ortmeter run --en)" = --energy ] || fail "bash: no --energy"
[ "$(complete_bash ortmeter run --energy m)" = model ] || fail "bash: no model"
touch here.onnx
[ "$(complete_bash ortmeter bench here)" = here.onnx ] || fail "bash: no file"
for name in zsh fish; do
    ! command -v $name >/dev/null || $name -n completion.$name ||
        fail "$name does not understand its completion"
done
rc=0
"$ortmeter" completion tcsh >out 2>err || rc=$?
refused 2 bash

# `help VERB` is `VERB --help`.
diff <("$ortmeter" help run) <("$ortmeter" run --help) || fail "help run differs"
