# capture.jq -- from the rounds of bench/capture and the database's flags to
# what the meter adds, in per cent of a bare inference.
#
# Inferences that were looked into, those right after one, and all others are
# three kinds; the medians of each, by how many there are, make up the mean.  The
# others are compared with a bare one of their round, since the machine's speed
# drifts.  The verdict is on all of the interval that their median lies in.

def median: sort | if length == 0 then null
    else (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2 end;

# Between these two the median lies with 95 % confidence.
def interval: sort | (length / 2) as $m | (0.98 * (length | sqrt)) as $d
    | [.[[0, $m - $d | floor] | max], .[[length - 1, $m + $d | floor] | min]];

def percent: (. * 10000 | round) / 100
    | (if . >= 0 then "+" else "" end) + tostring + " %";

[$rounds | split("\n")[] | select(. != "") | split(" ") | map(tonumber)] as $r
| [$flags | split("\n")[] | select(. != "") | tonumber] as $looked
| ([$r[] | .[0], .[3]] | median) as $bare
| [range($looked | length) as $i
    | { ns: $r[$i / 2 | floor][1 + $i % 2], looked: ($looked[$i] == 1),
        cold: ($i > 0 and $looked[$i - 1] == 1),
        beside: $r[$i / 2 | floor][$i % 2 * 3] }] as $calls
| [$calls[] | select(.looked)] as $into
| [$calls[] | select(.cold and (.looked | not))] as $after
| [$calls[] | select((.cold or .looked) | not)] as $plain
| [$plain[] | .ns / .beside] as $ratios
| ([$r[] | .[0] / .[3]] | median - 1) as $noise
| (($ratios | median) - 1) as $added
| ($ratios | interval | map(. - 1)) as $between
| def part($kind): ($kind | length) as $n | if $n == 0 then 0
    else ($n / ($calls | length)) * (([$kind[].ns] | median) / $bare - 1) end;
($added * ($plain | length) / ($calls | length) + part($into) + part($after))
    as $mean
| "\($name): \($mean | percent) of \($bare / 1000 | round) us; " +
  (if $into != [] then "\($into | length) of \($calls | length) looked into; "
   else "" end) +
  "the others \($added | percent) [\($between | map(percent) | join(", "))], " +
  "bare and bare \($noise | percent); at most \($most) %: " +
  (if ($mean + $between[1] - $added) * 100 <= $most then "ok"
   elif ($mean + $between[0] - $added) * 100 > $most then "NO"
   else "not shown" end)
