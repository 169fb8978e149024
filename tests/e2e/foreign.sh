#!/bin/bash
# Programs that the hook cannot enter run unharmed: another C library, another
# word size, no dynamic loader at all, set-user-id.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Our own noise on their stderr would be harm, too.
unharmed() { # program
    compare "$1" one 'two words'
    [ "$rc" -eq 7 ] || fail "$1 ends with $rc"
    cmp plain.err err || fail "$1 has something else on stderr"
}

source=$SRC/tests/programs/hello.c
tried=()
build() { # program, compiler...
    local program=$1
    shift
    command -v "$1" >/dev/null && "$@" "$source" -o "$program" 2>log ||
        return 0
    tried+=("$program")
    unharmed "./$program"
}
build musl musl-gcc
build musl-static musl-gcc -static
build word32 gcc -m32
build static gcc -static
build static-pie gcc -static-pie
if [ "$(id -u)" -eq 0 ]; then
    build setuid gcc
    chmod u+s setuid
    unharmed ./setuid
fi
[ ${#tried[@]} -gt 0 ] || skip "no compiler here"
echo "tried: ${tried[*]}"
