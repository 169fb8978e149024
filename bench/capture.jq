# capture.jq -- from the calls of bench/capture and the database's flags to what
# the meter adds, in per cent of a bare inference.
#
# Inferences that were described, those right after one, those that were only
# timed, and all others are four kinds.
#
# What the hook adds to the others directly is known call by call: what the
# program saw, less what the hook saw between its own beginning and end.  What
# it may do to the runtime by being there (caches) shows only against the bare
# ones of their block: two of either, in an order in which a machine that
# becomes slower or quicker meanwhile does so for both.  It is the median of the
# blocks, and the interval that this lies in, which is as wide as the machine is
# unsteady.
#
# Of the first three kinds there are few: the medians of each, by how many there
# are.  A block with one of these is left out of the comparison.
#
# The verdict is on all of the interval.

def median: sort | if length == 0 then null
    else (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2 end;

# Between these two the median lies with 95 % confidence.
def interval: sort | (length / 2) as $m | (0.98 * (length | sqrt)) as $d
    | [.[[0, $m - $d | floor] | max], .[[length - 1, $m + $d | floor] | min]];

def percent: (. * 100000 | round) / 1000
    | (if . >= 0 then "+" else "" end) + tostring + " %";

($recorded | split("\n")
    | map(select(. != "") | split("|") | map(tonumber))) as $seen
| [foreach ($calls | split("\n")[] | select(. != "") | split(" ")) as [$kind, $ns]
    ({ hooked: 0, call: 0, described: false };
     .cold = .described
     | .described = ($kind == "hooked" and $seen[.hooked][0] == 1)
     | .timed = ($kind == "hooked" and $seen[.hooked][1] == 1)
     | .ns = ($ns | tonumber)
     | .own = (if $kind == "hooked" then .ns - $seen[.hooked][2] else null end)
     | .hooked += (if $kind == "hooked" then 1 else 0 end) | .call += 1
     | .kind = $kind;
     { kind, ns, own, described, timed, cold,
       other: ([.described, .timed, .cold] | any | not),
       block: ((.call - 1) / 4 | floor) })] as $all
| [$all[] | select(.described)] as $described
| [$all[] | select(.timed)] as $timed
| [$all[] | select(.kind == "hooked" and .cold
    and ([.described, .timed] | any | not))] as $after
| [$all | group_by(.block)[] | select(map(.other) | all)
    | { hooked: (map(select(.kind == "hooked").ns) | add),
        bare: map(select(.kind == "bare").ns) }] as $blocks
| ([$blocks[].bare[]] | median) as $bare
| [$blocks[] | .hooked / (.bare | add)] as $ratios
# The first of the two bare ones of a block, and the second; every other time
# the other way round.
| [$blocks | to_entries[] | (.key % 2) as $odd
    | .value.bare | .[$odd] / .[1 - $odd]] as $controls
| (([$all[] | select(.own and .other).own] | median)
    / $bare) as $direct
| ($ratios | median - 1) as $added
| ($ratios | interval | map(. - 1)) as $between
| ([$all[] | select(.kind == "hooked")] | length) as $hooked
| def part($kind): ($kind | length) as $n | if $n == 0 then 0
    else $n / $hooked * (([$kind[].ns] | median) / $bare - 1) end;
($added * (1 - ($described + $timed + $after | length) / $hooked)
    + part($described) + part($timed) + part($after)) as $mean
| "\($name): \($mean | percent) of \($bare / 1000 | round) us; " +
  (if $described != [] then "of \($hooked) \($described | length) described, " +
       "\($timed | length) timed; "
   else "" end) +
  "the others directly \($direct | percent), against bare " +
  "\($added | percent) [\($between | map(percent) | join(", "))], " +
  "bare and bare \($controls | median - 1 | percent); at most \($most) %: " +
  (if ($mean + $between[0] - $added) * 100 > $most then "NO"
   elif ($mean + $between[1] - $added) * 100 <= $most then "ok"
   else "not shown" end)
