#!/usr/bin/env bash
# energy.sh -- joules where something tells them, reasons where nothing does,
# and an estimate only for who asks.
# shellcheck source=tests/e2e/lib.sh
. "${SRC:-$PWD}/tests/e2e/lib.sh"

measure() { # options of run
    "$ortmeter" run --db t.db -o run.json "$@" -- \
        node "$SRC/demo/demo.mjs" >out 2>err
}

energy() { # options...
    rc=0
    "$ortmeter" energy --db t.db "$@" >out 2>err || rc=$?
}

need_tool node

# Whatever this machine has: a number with its method, or a reason for each
# source; never 0 J.
measure
status=$(jq -r .energy.status run.json)
case $status in
'no energy source')
    jq -e '.energy | del(.throttling) | keys == ["reasons", "status"]' \
        run.json >/dev/null ||
        fail "a figure without a source"
    jq -e '.energy.reasons | length > 3 and all(.reason | length > 5)' \
        run.json >/dev/null || fail "a source is missing without a reason"
    jq -e '[.. | objects | keys[] | select(test("joules|_j$|_mj$"))] == []' \
        run.json >/dev/null || fail "joules from nowhere"
    energy
    grep -q 'no energy source' out || fail "the text says something else"
    if grep -qE '\b0(\.0*)? m?J' out; then fail "0 J"; fi
    ;;
measured)
    jq -e '.energy.total_j > 0 and .energy.account.adds_up' run.json \
        >/dev/null || fail "measured, but not added up"
    ;;
*) fail "an estimate that nobody asked for: $status" ;;
esac

# The model: an estimate, called so everywhere, with its bounds.
if [ "$status" = 'no energy source' ]; then
    measure --energy model --ops 4
    jq -e '.energy | .status == "modelled" and .total_j > 0 and
        .bounds.low_j < .total_j and .bounds.high_j > .total_j and
        .account.adds_up and (.account | (.idle_j + (.other_processes_j // 0) +
        .unattributed_j + .attributed_j - .total_j) | fabs < 0.00001)' \
        run.json >/dev/null || fail "the model's account"
    jq -e '[.. | objects | (.method?, .joules_method?) | strings
        | select(. == "measured" or . == "apportioned")] == []' run.json \
        >/dev/null || fail "an estimate is called measured"
    jq -e '[.ops[] | select(.joules > 0)] | length > 5' run.json >/dev/null ||
        fail "operators have no joules"
    jq -e '.tokens.joules_per_token > 0' run.json >/dev/null ||
        fail "tokens have no joules"

    # With the machine's own watts the bounds are closer.
    measure --energy model --idle-watts 10 --full-watts 50
    jq -e '.energy | .mean_w >= 10 and .mean_w <= 50 and
        (.bounds.high_j / .total_j | . > 1.19 and . < 1.21)' run.json \
        >/dev/null || fail "the calibrated model"
fi

# Switched off is a reason, too.
measure --energy off
[ "$(jq -r .energy.status run.json)" = 'no energy source' ] ||
    fail "off, and still there"
jq -e '.energy.reasons[0].reason | contains("--energy off")' run.json \
    >/dev/null || fail "off is not given as the reason"

# An external meter of 40 W, from a file that was written before: the whole
# account rests on it.
awk -v now="$(date +%s)" 'BEGIN {
    print "# seconds watts"
    for (i = 0; i < 6000; i++) printf "%d.%02d0 40\n", now + int(i / 20), i % 20 * 5
    print "not a line of a meter"
}' >meter.txt
measure --meter meter.txt
jq -e '.energy | .status == "measured" and (.mean_w - 40 | fabs < 0.01) and
    (.total_j / .covered_s - 40 | fabs < 0.01) and .components.meter > 0' \
    run.json >/dev/null || fail "the meter's 40 W"
jq -e '.energy.phases.decode.method == "apportioned"' run.json >/dev/null ||
    fail "milliseconds are not measured by a meter of 20 Hz"

# Carbon and cost, by hand: grams = J / 3.6e6 * g/kWh.
for region in FR:44.2 DE:342.1 US:383.6; do
    energy --json --region "${region%:*}" --price 0.25
    [ "$rc" -eq 0 ] || fail "energy exits with $rc"
    jq -e --argjson g "${region#*:}" '.energy |
        (.carbon.grams_co2e - .total_j / 3600000 * $g | fabs < 1e-9) and
        (.cost.amount - .total_j / 3600000 * 0.25 | fabs < 1e-9) and
        .carbon.year == 2024 and (.carbon.source | contains("Ember"))' out \
        >/dev/null || fail "carbon of $region"
done
energy --region Germny
[ "$rc" -eq 2 ] || fail "an unknown region exits with $rc"
grep -q "Germany (DE)" err || fail "near names are not told"

# Wrong usage.
rc=0
"$ortmeter" run --meter /nowhere/meter --db t.db -- true 2>err || rc=$?
[ "$rc" -eq 2 ] || fail "a meter that is not there exits with $rc"
grep -q /nowhere/meter err || fail "the meter's file is not named"
rc=0
"$ortmeter" run --energy maybe --db t.db -- true 2>err || rc=$?
[ "$rc" -eq 2 ] || fail "--energy maybe exits with $rc"

# Where there is no sensor, calibrate says so, for each.
rc=0
"$ortmeter" calibrate --most 1 --db t.db >out 2>err || rc=$?
if [ "$status" = 'no energy source' ]; then
    [ "$rc" -ne 0 ] || fail "calibrated without a sensor"
    grep -qE 'no energy source|did not come to rest' err ||
        fail "calibrate does not say why"
fi
