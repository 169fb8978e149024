#!/bin/bash
# `ortmeter top` on terminals of several sizes: its screens are read back.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

need_tool tmux
export LC_ALL=C.UTF-8

tmux() { # of our own, with nobody's settings
    command tmux -S "$TMPDIR/tmux" -f /dev/null "$@"
}
end_tmux() {
    tmux kill-server 2>/dev/null || true
    cleanup
}
trap end_tmux EXIT

top() { # columns, rows, options...
    local cols=$1 rows=$2
    shift 2
    rm -f rc screen
    tmux new-session -d -x "$cols" -y "$rows" \
        "$ortmeter top $* 2>err; echo \$? >rc"
}

screen() { # what is on it now
    tmux capture-pane -p >screen 2>/dev/null
}

shows() { # a pattern
    screen && grep -qE -- "$1" screen
}

lacks() { # a pattern
    screen && ! grep -qE -- "$1" screen
}

expect() { # a pattern that will be there
    local i
    for ((i = 0; i < 200; i++)); do
        ! shows "$1" || return 0
        sleep 0.05
    done
    cat screen >&2
    fail "there is no '$1' on the screen"
}

expect_not() { # a pattern that will go
    await lacks "$1"
}

keys() { # tmux's names of keys...
    tmux send-keys "$@"
}

quit() {
    keys q
    await test -s rc
    [ "$(cat rc)" = 0 ] || fail "exit code $(cat rc): $(cat err)"
}

# Nothing overflows, whatever the size: the foot is the last row, and no row is
# wider than the screen.
fits() { # columns, rows
    expect 'q quit'
    screen
    [ "$(wc -l <screen)" -eq "$2" ] || fail "$(wc -l <screen) rows, not $2"
    tail -n 1 screen | grep -q '^q quit' || fail "the foot is not the last row"
    [ "$(wc -L <screen)" -le "$1" ] || fail "a row of more than $1 columns"
}

cp "$(command -v sleep)" ./dozing_1
./dozing_1 300 &
doze=$!
cp "$(command -v sleep)" ./dozing_2
./dozing_2 300 &

cpus=$(getconf _NPROCESSORS_ONLN)

for size in '80 24' '132 43' '50 14' '200 60'; do
    read -r cols rows <<<"$size"
    top "$cols" "$rows" --name "'dozing_*'" --db none.db
    expect 'dozing_1'
    expect '^CPU +[█░]'
    expect '^MEM +[█░].* of '
    expect '^ortmeter top .* Hz .*itself'
    expect "^ *$((cpus - 1)) [█░]+|^ .* $((cpus - 1)) [█░]+"
    expect 'no GPU or NPU|[0-9] °C|%  '
    expect 'no models: .*'
    fits "$cols" "$rows"
    quit
done

# Keys: sort, filter, help, pause; and the window changes its size.
top 100 30 --name "'dozing_*'" --db none.db --rate 20
expect 'CPU %▾'
keys n
expect 'NAME▾'
expect 'dozing_2'
screen
grep -n dozing screen | head -n 1 | grep -q dozing_1 || fail "not by name"
keys n
expect 'NAME▴'
screen
grep -n dozing screen | head -n 1 | grep -q dozing_2 || fail "not reversed"
keys /
expect '^filter: _'
keys g_1
expect '^filter: g_1_'
keys Enter
expect_not dozing_2
expect dozing_1
keys Escape
expect dozing_2
keys '?'
expect 'sort by memory'
expect_not dozing
keys '?'
expect dozing_1
keys Space
expect PAUSED
tmux resize-window -x 64 -y 16
expect_not 'WRITTEN'
fits 64 16
grep -q PAUSED screen || fail "it goes on"
keys Space
expect_not PAUSED
tmux resize-window -x 120 -y 40
expect 'WRITTEN'
fits 120 40
# A process that ends goes.
kill $doze
expect_not dozing_1
expect dozing_2
quit

# A program of its own, with the model that it runs and how long that takes.
top 110 30 --db t.db -- node "$here/infer.cjs" "$npm/onnxruntime-node" \
    "$silero" 100000000 "${silero_inputs[@]}"
expect '^run [0-9a-f]{8}'
expect 'MODEL +PER S +P50 +P95 +LAST'
expect '^silero_vad_v5 +[0-9.]+ +[0-9.]+ .s +[0-9.]+ .s +[0-9.]+ .s'
expect ' node +[0-9.]+ '
# It ends with us, and as it ends; then comes the report.
keys q
await test -s rc
[ "$(cat rc)" = 143 ] || fail "exit code $(cat rc): $(cat err)"
grep -q 'silero_vad_v5' err || fail "there is no report: $(cat err)"
grep -q "$("$ortmeter" list --db t.db | awk 'NR == 2 { print $1 }')" err ||
    fail "the run's id is not said"
grep -q 'what the program printed is in' err || fail "nothing said of output"
"$ortmeter" report --db t.db --json last >run.json
holds '.latency.count > 0'

# A program is called what it became by exec, not the shell that it was.
cp "$(command -v sleep)" ./dozing_3
top 100 30 --db t.db -- sh -c "'exec ./dozing_3 300'"
expect ' dozing_3 '
keys q
await test -s rc

# Where there is no terminal, one sentence.
rc=0
"$ortmeter" top >out 2>err </dev/null || rc=$?
refused 1 'terminal'
rc=0
"$ortmeter" top --rate 0 >out 2>err || rc=$?
[ "$rc" -eq 2 ] || fail "--rate 0 was taken"
