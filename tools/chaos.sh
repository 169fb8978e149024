#!/bin/bash
# chaos.sh -- hostile databases and files, many of each, under AddressSanitizer.
#
# The rounds are numbered and always the same.  Each kind says how many there
# were; nothing may crash, hang or be found by the sanitizer.  Ten minutes is the
# limit for all (CHAOS_SECONDS=N: another): on a machine that does not get so
# far, the counts tell.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/configure.sh build/asan --werror -Db_sanitize=address,undefined
ninja -C build/asan --quiet tests/chaos/chaos
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# A disk would be waited for, and no file is large.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
# Short traces of allocations: half of the time is theirs otherwise.
export ASAN_OPTIONS=malloc_context_size=2:quarantine_size_mb=16
start=$SECONDS
end=$((start + ${CHAOS_SECONDS:-600}))

steady=()
! setarch -R true 2>/dev/null || steady=(setarch -R)

# A net with a hole finds nothing: what its reports look like is tried first.
found='ERROR: \|runtime error: '
for mistake in 0 1; do
    said=$("${steady[@]}" build/asan/tests/chaos/chaos probe 1 "$mistake" 2>&1) ||
        true # it ends badly, as it should
    grep -q "$found" <<<"$said" || {
        echo "chaos: mistake $mistake, made on purpose, is not reported" >&2
        exit 1
    }
done

# Some of each kind at any time, so that a machine that does not get to the end
# has tried all of them.
schedule() { # lines of kind, first round, rounds
    awk 'function add(kind, rounds, piece,    first) {
            for (first = 0; first < rounds; first += piece)
                print first / rounds, kind, first, piece
        }
        BEGIN {
            add("tamper", 2000, 50)
            add("pages", 1000, 50)
            add("files", 2000, 200)
            add("fetch", 200, 50)
        }' | sort -s -g -k 1,1 | cut -d " " -f 2-
}

# One piece; its line says how many rounds there were until the time was up.
one() { # kind, first round, rounds
    local left=$((end - SECONDS))
    [ "$left" -gt 0 ] || return 0
    "${steady[@]}" build/asan/tests/chaos/chaos "$1" "$3" "$2" "$left" ||
        echo "$1: FAILED in rounds $2 to $(($2 + $3 - 1))"
}

rm -f build/chaos-*.log
while read -r kind first rounds; do
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
    one "$kind" "$first" "$rounds" >"build/chaos-$kind-$first.log" 2>&1 &
done < <(schedule)
wait

left=0
while read -r kind wanted; do
    tried=$(cat build/chaos-"$kind"-*.log |
        awk '/^[a-z]+: [0-9]+ rounds, / { rounds += $2; read += $4; refused += $6 }
            END { printf "%d %d %d", rounds, read, refused }')
    read -r rounds readings refused <<<"$tried"
    printf '%-7s %5d of %d rounds, %6d readings, %6d refused\n' "$kind" \
        "$rounds" "$wanted" "$readings" "$refused"
    left=$((left + wanted - rounds))
done < <(schedule | awk '{ sum[$1] += $3 } END { for (k in sum) print k, sum[k] }')
if grep -q "^[a-z]*: FAILED\|$found" build/chaos-*.log; then
    # All that was said of it: where, and how it came there.
    grep -l "^[a-z]*: FAILED\|$found" build/chaos-*.log | xargs tail -n 60
    exit 1
fi
[ "$left" -eq 0 ] || echo "time was up before $left rounds: they were not tried"
echo "nothing found in $((SECONDS - start)) s"
