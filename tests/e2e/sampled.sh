#!/bin/bash
# `ortmeter run` samples the program that it runs: what is kept is what the
# kernel counted, to the byte.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

need_tool sqlite3

ask() { # SQL, what it must say
    local got
    got=$(sqlite3 t.db "$1")
    [ "$got" = "$2" ] || fail "$1 says '$got', not '$2'"
}

meter dd if=/dev/zero of=f bs=1000 count=1009 status=none
[ "$rc" -eq 0 ] || fail "exit code $rc"
is .io.written_bytes 1009000
is .io.write_calls 1009
holds '.memory | .peak_rss_bytes > 0 and .minor_faults > 0'
holds '.cpu.mean_percent >= 0'

# Readings, rollups and why some figures are not there are in the database.
run="(SELECT max(run) FROM subjects)"
ask "SELECT count(*) > 0 FROM readings WHERE run = $run" 1
ask "SELECT max(value) FROM readings JOIN metrics m ON m.id = metric
     WHERE run = $run AND m.name = 'process_written_bytes_total'" 1009000.0
ask "SELECT max(max) FROM rollups JOIN metrics m ON m.id = metric
     WHERE run = $run AND m.name = 'process_written_bytes_total'" 1009000.0
ask "SELECT name FROM subjects WHERE run = $run AND kind = 'process'" dd
ask "SELECT end_ns > coalesce(start_ns, 0) FROM subjects
     WHERE run = $run AND kind = 'process'" 1
ask "SELECT count(*) FROM absences WHERE run = $run AND reason = ''" 0

# The report says it in words: of a program that was there for a while.
meter sh -c 'sleep 0.7; dd if=/dev/zero of=f bs=1000 count=1009 status=none'
holds '.memory | .rss_min_bytes <= .rss_mean_bytes and
    .rss_mean_bytes <= .rss_max_bytes and .rss_min_bytes > 0'
holds '.cpu | .threads_max >= 1 and .max_percent >= 0'
meter sh -c 'sleep 0.3; exec sleep 0.5' # it is the second, then
ask "SELECT name, detail FROM subjects WHERE run = $run AND kind = 'process'
     ORDER BY id LIMIT 1" 'sleep|sleep 0.5'
"$ortmeter" report --db t.db last >out
grep -q 'of a core in a second; read' out || fail "the report does not tell of CPU and I/O"

# Not asked for: nothing is sampled, and nothing is made up.
meter_options=(--rate 0)
meter dd if=/dev/zero of=f bs=1000 count=1009 status=none
is 'has("io")' false
holds '.memory | keys == ["peak_rss_bytes"]'
ask "SELECT count(*) FROM subjects
     WHERE run = (SELECT max(id) FROM profiling_runs)" 0
meter_options=(--rate 1e6)
meter true
refused 2 --rate
