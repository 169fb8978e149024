#!/bin/bash
# `ortmeter watch`: lines, filters, rates, what is missing, the end.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

watch() { # options...
    rc=0
    timeout 60 "$ortmeter" watch "$@" >out 2>err || rc=$?
    rm -f run.json
    [ ! -s out ] || tail -n 1 out >run.json
}

lines() { # jq's condition, of all lines together
    [ "$(jq -s "$1" out)" = true ] || fail "not so: $1"
}

# A program to look at, until it is told to go.
sleep 300 &
sleeper=$!
sh -c 'while :; do :; done' &
busy=$!

# One line a tick, of the processes that were asked for, in order of time.
watch --pid $sleeper --pid $busy --rate 100 --duration 1.5 --json
[ "$rc" -eq 0 ] || fail "exit code $rc"
lines 'length > 20'
lines "all(.[]; [.processes[].pid] | sort == ([$sleeper, $busy] | sort))"
lines '[.[].timestamp_ns] | . == sort and . == unique'
lines 'all(.[]; (.system | type) == "object")'
lines 'all(.[0, -1].processes[]; .rss_bytes > 0 and .threads == 1)'
# Who does nothing is asked for its memory now and then, who works at each tick.
lines "[.[].processes[] | select(.pid == $sleeper) | .rss_bytes // empty] |
    length > 5 and unique == [max]"
lines "[.[].processes[] | select(.rss_bytes) | .pid] |
    (map(select(. == $busy)) | length) > (map(select(. == $sleeper)) | length)"
# The first reading of a counter is no rate: it is absent, not 0.
lines '.[0].processes | all(has("cpu_percent") | not)'
lines '.[-1].processes | all(has("cpu_percent"))'
lines ".[-1].processes[] | select(.pid == $sleeper) | .cpu_percent == 0"
# What is missing is told once, and again at the end.
lines '.[0] | has("missing")'
lines '.[1:-1] | all(has("missing") | not) and all(has("summary") | not)'
lines '.[0].missing == .[-1].summary.missing'
lines 'all(.[0].missing[]; .reason | length > 0)'
# The figures at the end are those of the lines.
holds ".summary.processes[] | select(.pid == $busy) | .cpu_percent |
    .min <= .p50 and .p50 <= .p95 and .p95 <= .max and .mean > 10"
holds '.summary.samplers[] | select(.name == "process") |
    .state == "read" and .hz == 100 and .reads > 20 and .effective_hz > 10'
holds '.summary.cost | .cpu_percent > 0 and .budget_percent == 10'
# Slower sources say how old their figures are.
lines '[.[].processes[].age_ms.voluntary_switches_total // 0] | max >= 10'

# The kernel's own total, to the byte: read while the program was a zombie.
watch --rate 100 --json -o lines.jsonl -- \
    dd if=/dev/zero of=f bs=1000 count=1009 status=none
[ "$rc" -eq 0 ] || fail "exit code $rc"
tail -n 1 lines.jsonl >run.json
is '.summary.processes[0] | .written_bytes_total' 1009000
is '.summary.processes[0].write_calls_total' 1009
is '.summary.processes[0].exit_code' 0
is '.summary.processes[0].name' dd

# What a process did before it was watched is no part of what it did meanwhile.
mkfifo written go_on
bash -c 'for ((i = 0; i < 1009; i++)); do echo x; done >f; echo >written
    read -r _ <go_on; for ((i = 0; i < 211; i++)); do echo x; done >f
    echo >written; read -r _ <go_on' &
writer=$!
read -r _ <written
"$ortmeter" watch --pid $writer --rate 50 --json >out 2>err &
watcher=$!
await test -s out
echo >go_on
read -r _ <written
echo >go_on
wait $watcher || fail "exit code $?: $(cat err)"
tail -n 1 out >run.json
holds '.summary.processes[0] | .write_calls_total >= 1009 and
    .while_watched.write_calls_total <= 300 and
    .while_watched.written_bytes_total <= 600'
watch --pid $busy --duration 0.3
grep -q 'I/O *read 0 B, wrote 0 B while watched' out || fail "$(cat out)"
# Of one that was started here, the total is all.
watch --json -- dd if=/dev/zero of=f bs=1000 count=11 status=none
holds '.summary.processes[0] | .written_bytes_total == 11000 and
    (has("while_watched") | not)'

# The program's exit code is ours; a signal's is 128 and more.
watch --json -o lines.jsonl -- sh -c 'exit 7'
[ "$rc" -eq 7 ] || fail "exit code $rc, not 7"
watch --json -o lines.jsonl -- sh -c 'kill -TERM $$'
[ "$rc" -eq 143 ] || fail "exit code $rc, not 143"

# It ends by itself when the processes have ended.
sleep 0.3 &
watch --pid $! --json
[ "$rc" -eq 0 ] || fail "exit code $rc"
holds '.summary.processes[0].ended'

# Globs, children, and only some figures.
cp "$(command -v sleep)" ./nap_$$_1
./nap_$$_1 300 &
watch --name "nap_$$_*" --duration 0.5 --json --metric 'rss*'
lines 'all(.[].processes[]; .name == "nap_'$$'_1" and
    (keys - ["age_ms"] == ["name", "pid", "rss_bytes"]))'
holds '.summary.processes | length == 1'

# The budget cannot hold at this rate: so the rate goes, on record.
watch --pid $busy --rate 1000 --max-overhead 0.05 --duration 3 --json
holds '.summary.rate_changes | length > 0'
holds '.summary.rate_changes[0] | .share < .from_share and
    (.reason | test("allowed"))'
holds '.summary.samplers[] | select(.name == "process") | .hz < .wanted_hz'
lines '[.[].rate_changes // [] | length] | add > 0'

# The machine alone: lines come as asked, figures as they are read.  It ends
# between two moments of reading: at a whole second all has just been read.
watch --rate 20 --duration 1.93 --json
lines 'length > 10 and all(.[]; .processes == [])'
lines '.[-1].system | .memory_bytes > 0 and has("age_ms")'

# Rates by name; off is off, and says so.
watch --pid $busy --rate process=20 --rate process-status=0 --duration 0.5 \
    --json
holds '.summary.samplers[] | select(.name == "process") | .hz == 20'
holds '.summary.samplers[] | select(.name == "process-status") |
    .state == "off"'

# Ctrl-C ends it with the summary.
rm out
"$ortmeter" watch --pid $busy --rate 50 --json >out 2>err &
watcher=$!
await test -s out
kill -INT $watcher
rc=0
wait $watcher || rc=$?
[ "$rc" -eq 0 ] || fail "exit code $rc after Ctrl-C"
tail -n 1 out >run.json
holds 'has("summary")'

# For people.
watch --pid $busy --duration 1.2
grep -q 'CPU %' out || fail "no table"
grep -q "pid $busy" out || fail "no summary"
grep -q '% of a core for' out || fail "no cost"
# The first line has had no time for shares: of the machine, of us, of anybody.
! head -n 1 out | grep -q '%' || fail "a share of nothing: $(head -n 1 out)"
grep -q '   ortmeter [0-9.]* %$' out || fail "the cost is not shown"

# Events: as many switches as the kernel has counted, neither less nor more.
# The program waits until it is followed; then it sleeps in its own process.
mkfifo go
cat >blocking.sh <<'END'
switches() { # how often this process left its CPU
    local name value sum=0
    while read -r name value; do
        case $name in *voluntary_ctxt_switches:) sum=$((sum + value)) ;; esac
    done </proc/$$/status
    echo "$sum"
}
exec 3<>go
read -r _ <&3
switches >before
for ((i = 0; i < 211; i++)); do read -r -t 0.001 _ <&3; done
switches >after
exit 0
END
rm -f out
"$ortmeter" watch --events --rate 100 --json -- bash blocking.sh >out 2>err &
watcher=$!
await test -s out
echo >go
wait $watcher || fail "exit code $?"
tail -n 1 out >run.json
lines '.[0] | has("schema_version")'
if [ "$(field '.summary.events | length')" -eq 0 ]; then
    # Not here: then with the kernel's reason, and without a number.
    holds '.summary.missing[] | select(.events == "all").reason | length > 0'
    lines 'all(.[]; has("event") | not)'
else
    pid=$(field '.summary.processes[0].pid')
    during=$(($(cat after) - $(cat before)))
    total=$(field '.summary.processes[0] |
        .voluntary_switches_total + .involuntary_switches_total')
    [ "$during" -ge 100 ] || fail "the program did not block: $during"
    is '.summary.events | length' 1
    is '.summary.events[0].pid' "$pid"
    is '.summary.events[0].lost' 0
    holds ".summary.events[0] | .waited + .preempted |
        . >= $during and . <= $total"
    holds '.summary.events[0].page_fault > 0'
    # A line for each, of that process, within its time.
    for kind in switched_in waited preempted; do
        lines "(map(select(.how == \"$kind\")) | length) ==
            .[-1].summary.events[0].$kind"
    done
    lines '(map(select(.event == "page_fault")) | length) ==
        .[-1].summary.events[0].page_fault'
    lines "map(select(has(\"event\"))) |
        all(.[]; .pid == $pid and .tid == $pid and .cpu >= 0)"
    lines '(map(select(has("event")).timestamp_ns) | max) <=
        .[-1].timestamp_ns'
    # Storage is counted, or there is a reason why not.
    holds '(.summary.events[0] | has("storage_asked")) !=
        any(.summary.missing[]; .events == "storage")'
    watch --events --pid $busy --duration 0.5
    grep -q 'events *switched in [0-9]*, waited [0-9]*' out ||
        fail "no events for people"
fi
# Nobody asked: not a word of them.
watch --pid $busy --duration 0.2 --json
lines 'all(.[]; has("event") | not)'
holds '.summary | has("events") | not'

# An alert is told once, on stderr and as a line; the exit code says so.  A
# receiver that is not there is said at the end.
watch --pid $busy --duration 1 --json --alert 'rss_bytes > 1B trouble' \
    --alert 'rss_bytes > 1TB' --webhook http://127.0.0.1:9/hook
[ "$rc" -eq 3 ] || fail "exit code $rc, not 3"
lines "[.[] | select(.event)] | length == 1 and (.[0] |
    .event == \"alert\" and .severity == \"trouble\" and .threshold == 1 and
    .metric == \"process_resident_bytes\" and .subject.number == $busy)"
grep -q "^ortmeter: alert: rss_bytes > 1B trouble, process $busy " err ||
    fail "no word of the alert: $(cat err)"
grep -q '1 of 1 alerts did not get to http://127.0.0.1:9/hook' err ||
    fail "no word of the webhook: $(cat err)"
watch --pid $busy --duration 0.2 --json --alert 'rss_bytes > 1TB'
[ "$rc" -eq 0 ] || fail "exit code $rc without an alert"
watch --duration 0.1 --alert 'rss_bytes > much'
refused 2 'rss_bytes > much'

# doctor and watch agree on what is missing.
"$ortmeter" doctor --json >doctor.json
watch --pid $$ --duration 0.1 --json
jq -S '.summary.missing' run.json >watch.missing
jq -S '.missing' doctor.json >doctor.missing
diff watch.missing doctor.missing || fail "doctor and watch do not agree"
# The text does not list what doctor lists: a line says how many there are.
watch --pid $$ --duration 0.1
absent=$("$ortmeter" doctor --json | jq '[.missing[] | select(.sampler)] | length')
[ "$absent" -eq 0 ] ||
    grep -qE "^  (missing)? +$absent sources?; why: ortmeter doctor$" out ||
    fail "not $absent sources: $(cat out)"

# Wrong usage.
for options in '--pid 0' '--pid x' '--rate 0' '--rate 1e9' '--rate nobody=5' \
    '--profile lazy' '--max-overhead 500'; do
    # shellcheck disable=SC2086 # two words
    watch $options --duration 0.1 --json
    [ "$rc" -ne 0 ] || fail "$options was taken"
    [ -s err ] || fail "$options: no word about it"
done
watch --pid 999999999 --json
[ "$rc" -ne 0 ] || fail "a process that is not there was found"
watch -o /nowhere/at/all --pid $busy --json
refused 1 /nowhere/at/all
watch -- /nowhere/at/all
refused 1 /nowhere/at/all
