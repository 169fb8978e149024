# capture.jq -- from the calls of bench/capture to what the meter adds, in per
# cent of a bare inference; beside it what ONNX Runtime's own profiler does.
#
# What the hook adds shows against the bare calls of its block: two of either, in
# an order in which a machine that becomes slower or quicker meanwhile does so
# for both.  Where one call in N is traced some blocks have none, and the median
# of all would not show it: so it is their mean, with what is beyond a fifth, in
# either direction, taken as a fifth, since there somebody else was at work; and
# the interval that this lies in, which is as wide as the machine is unsteady.
# What the entries in the kernels' tables add to a call that is not traced shows
# in stretches of calls with them and without; the verdict is on all of both.

def median: sort | if length == 0 then null
    else (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2 end;

# Between these two the median lies with 95 % confidence.
def interval: sort | (length / 2) as $m | (0.98 * (length | sqrt)) as $d
    | [.[[0, $m - $d | floor] | max], .[[length - 1, $m + $d | floor] | min]];

def mean: add / length;
def mean_interval: mean as $m | length as $n
    | (1.96 * ((map(. - $m | . * .) | add) / $n | sqrt) / ($n | sqrt)) as $d
    | [$m - $d, $m + $d];

def percent: (. * 100000 | round) / 1000
    | (if . >= 0 then "+" else "" end) + tostring + " %";

[$calls | split("\n")[] | select(. != "") | split(" ")
    | { kind: .[0], ns: (.[1] | tonumber) }] as $all
| [$all[] | select(.kind == "profiled").ns] as $profiled
| [$all[] | select(.kind == "hooked" or .kind == "bare")] as $turns
| [$all[] | select(.kind == "redirected" or .kind == "untouched")] as $stretches
| [range(0; $turns | length; 4) as $i | $turns[$i:$i + 4]
    | { hooked: (map(select(.kind == "hooked").ns) | add),
        bare: map(select(.kind == "bare").ns) }] as $blocks
| [range(0; $stretches | length; 4) as $i | $stretches[$i:$i + 4]
    | (map(select(.kind == "redirected").ns) | add)
        / (map(select(.kind == "untouched").ns) | add) - 1] as $entries
| ([$blocks[].bare[]] | median) as $bare
| [$blocks[] | .hooked / (.bare | add) - 1
    | [[., 0.2] | min, -0.2] | max] as $added
# The first of the two bare ones of a block, and the second; every other time
# the other way round.
| [$blocks | to_entries[] | (.key % 2) as $odd
    | .value.bare | .[$odd] / .[1 - $odd] - 1] as $control
| ($added | mean_interval) as $run
| (if $entries == [] then [0, 0] else $entries | interval end) as $passing
| [$run[0] + $passing[0], $run[1] + $passing[1]] as $between
| "\($name): \($added | mean | percent) " +
  "[\($run | map(percent) | join(", "))] of \($bare / 1000 | round) us, " +
  (if $entries == [] then "no entries, " else
     "entries \($entries | median | percent) " +
     "[\($passing | map(percent) | join(", "))], " end) +
  "bare and bare \($control | median | percent), ONNX Runtime\u0027s profiler " +
  "\(($profiled | median) / $bare - 1 | percent); at most \($most) %: " +
  (if $between[0] * 100 > $most then "NO"
   elif $between[1] * 100 <= $most then "ok"
   else "not shown" end)
