"""same_times.py INFERENCES CALLS REPORT -- are the times of texts the program's own?

INFERENCES is the exported table, CALLS what decode.py wrote, REPORT the run as
JSON.  Time to the first token and from each token to the next are compared one by
one: equal is within 2 % or 20 us.  A program that has to wait for the processor
between its clock and ours has two truths, so most have to be equal, and none can
be longer than the program's own time of the call.  The report's means are those
of the same inferences, exactly."""
import json
import statistics
import sys

with open(sys.argv[1]) as f:
    ours = [json.loads(line) for line in f]
with open(sys.argv[2]) as f:
    texts = [list(map(float, line.split())) for line in f]
with open(sys.argv[3]) as f:
    tokens = json.load(f)["tokens"]

first, later = [], []  # pairs of ours and theirs, in us
for calls in texts:
    steps, ours = ours[:len(calls) // 2], ours[len(calls) // 2:]
    spans = [(s["start_ns"], s["start_ns"] + s["duration_ns"]) for s in steps]
    for (start, end), theirs in zip(spans, zip(calls[::2], calls[1::2])):
        if (end - start) / 1e3 > (theirs[1] - theirs[0]) * 1e6 + 1:
            sys.exit("longer than the call: %d ns, %r" % (end - start, theirs))
    first.append(((spans[0][1] - spans[0][0]) / 1e3, (calls[1] - calls[0]) * 1e6))
    later += [((b[1] - a[1]) / 1e3, (d - c) * 1e6) for a, b, c, d in
              zip(spans, spans[1:], calls[1::2], calls[3::2])]
assert not ours, ours

for what, pairs, said in (("first", first, tokens["ttft_ms"]),
                          ("later", later, tokens["tpot_ms"])):
    off = sum(abs(a - b) > max(0.02 * b, 20) for a, b in pairs)
    mean = statistics.mean(a for a, _ in pairs)
    print("%s: %.1f us, by its own clock %.1f; apart by %.1f in the median, %d of %d "
          "by more than 2 %%" % (what, statistics.median(a for a, _ in pairs),
                                statistics.median(b for _, b in pairs),
                                statistics.median(abs(a - b) for a, b in pairs), off,
                                len(pairs)))
    if off * 2 >= len(pairs):
        sys.exit("most of them are not the program's own times")
    if abs(mean - said * 1e3) > 0.01:
        sys.exit("their mean is %.3f us, the report says %.3f" % (mean, said * 1e3))
