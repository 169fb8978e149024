#!/bin/bash
# What the hook shows to the process it lives in, and what it asks of it.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Exported: the calls it stands in front of, ortmeter.h, and what Python calls
# where it is the package's module.
nm -D --defined-only "$hook" | awk '{ print $3 }' | sort >exported
{
    printf '%s\n' PyInit__ortmeter dlopen dlsym execl execle execlp execv execve execveat execvp \
        execvpe fexecve popen posix_spawn posix_spawnp syscall system
    grep -o 'ortmeter_[a-z_]*(' "$SRC/include/ortmeter.h" | tr -d '('
} | sort -u >documented
diff documented exported || fail "exported and documented differ"

# No library is needed, no symbol is younger than glibc 2.17, and only weak
# ones are missing where another C library is in its place.
readelf -d "$hook" >dynamic
! grep -q NEEDED dynamic || fail "it needs a library"
! grep -Eq 'INITFIRST|DF_1_INITFIRST' dynamic || fail "it wants to be first"
newest=$(nm -D "$hook" | { grep -o 'GLIBC_[0-9.]*' || true; } | sort -uV |
    tail -n 1)
[ -z "$newest" ] || [ "$(printf '%s\nGLIBC_2.17\n' "$newest" | sort -V |
    tail -n 1)" = GLIBC_2.17 ] || fail "it needs $newest"
! readelf -lW "$hook" | grep -q 'GNU_STACK.*RWE' || fail "an executable stack"

# A guest is small: a word a thread; little memory before it is needed; and
# indirect branches that land where they may.
thread_bytes=$(readelf -lW "$hook" | awk '$1 == "TLS" { print $6 }')
[ "$((thread_bytes))" -le 8 ] || fail "$((thread_bytes)) bytes of each thread"
zeroed=$(readelf -SW "$hook" | sed 's/^ *\[ *[0-9]*\]//' |
    awk '$1 == ".bss" { print $5 }')
[ "$((0x$zeroed))" -le 131072 ] || fail "$((0x$zeroed)) bytes of .bss"
[ "$(uname -m)" != x86_64 ] || readelf -n "$hook" | grep -q 'IBT, SHSTK' ||
    fail "it does not promise to keep to IBT and SHSTK"
