# capture.jq -- from the calls of bench/capture and the database's flags to what
# the meter adds, in per cent of a bare inference.
#
# Inferences that were looked into, those right after one, and all others are
# three kinds.
#
# What the hook adds to the others directly is known call by call: what the
# program saw, less what the hook saw between its own beginning and end.  What
# it may do to the runtime by being there (caches) shows only against the bare
# ones of their block: the median of the blocks, and the interval that it lies
# in, which is as wide as the machine is unsteady.
#
# Of the first two kinds there are few: the medians of each, by how many there
# are.  A bare call right after one that was looked into is left out.
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
    ({ hooked: 0, call: 0, looked: false };
     .cold = .looked
     | .looked = ($kind == "hooked" and $seen[.hooked][0] == 1)
     | .ns = ($ns | tonumber)
     | .own = (if $kind == "hooked" then .ns - $seen[.hooked][1] else null end)
     | .hooked += (if $kind == "hooked" then 1 else 0 end) | .call += 1
     | .kind = $kind;
     { kind, ns, own, looked, cold, block: ((.call - 1) / 8 | floor) })] as $all
| [$all[] | select(.kind == "hooked" and .looked)] as $into
| [$all[] | select(.kind == "hooked" and .cold and (.looked | not))] as $after
| [$all | map(select((.looked or .cold) | not)) | group_by(.block)[]
    | { hooked: (map(select(.kind == "hooked").ns) | median),
        bare: (map(select(.kind == "bare").ns) | median) }] as $blocks
| ([$blocks[].bare | values] | median) as $bare
| [$blocks[] | select(.hooked and .bare) | .hooked / .bare] as $ratios
| [range(1; $blocks | length; 2)
    | ($blocks[. - 1].bare // null) as $a | ($blocks[.].bare // null) as $b
    | select($a and $b)
    | if . % 4 == 1 then $a / $b else $b / $a end] as $controls
| (([$all[] | select(.own and ((.looked or .cold) | not)).own] | median)
    / $bare) as $direct
| ($ratios | median - 1) as $added
| ($ratios | interval | map(. - 1)) as $between
| ([$all[] | select(.kind == "hooked")] | length) as $hooked
| def part($kind): ($kind | length) as $n | if $n == 0 then 0
    else $n / $hooked * (([$kind[].ns] | median) / $bare - 1) end;
($added * (1 - ($into + $after | length) / $hooked)
    + part($into) + part($after)) as $mean
| "\($name): \($mean | percent) of \($bare / 1000 | round) us; " +
  (if $into != [] then "\($into | length) of \($hooked) looked into; "
   else "" end) +
  "the others directly \($direct | percent), against bare " +
  "\($added | percent) [\($between | map(percent) | join(", "))], " +
  "bare and bare \($controls | median - 1 | percent); at most \($most) %: " +
  (if ($mean + $between[0] - $added) * 100 > $most then "NO"
   elif ($mean + $between[1] - $added) * 100 <= $most then "ok"
   else "not shown" end)
