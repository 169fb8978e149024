"""decode.py MODEL REQUESTS PROMPT TOKENS -- generates greedily with a cache, and
prints the ids; on stderr, a line for each text, when its calls began and ended by
the program's own clock, in seconds.

The clock is looked at around the call of the extension.  What onnxruntime does in
Python before, checking and listing names, is the program's own time: 5 to 20 us
a call, which a short prompt would show."""
import sys
import time

import numpy as np
import onnxruntime as ort

model, requests, prompt, tokens = sys.argv[1], *map(int, sys.argv[2:5])
options = ort.SessionOptions()
options.intra_op_num_threads = 1
s = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
inputs = {i.name: i for i in s.get_inputs()}
caches = [n for n in inputs if n.startswith("past")]


class Clocked:
    """The extension's session, with a clock on either side of run()."""

    def __init__(self, real):
        self.real = real
        self.calls = []

    def __getattr__(self, name):
        return getattr(self.real, name)

    def run(self, *args):
        start = time.perf_counter()
        out = self.real.run(*args)
        self.calls += [start, time.perf_counter()]
        return out


clock = s._sess = Clocked(s._sess)


def generate(ids):
    past = {n: np.zeros([1, inputs[n].shape[1], 0, inputs[n].shape[3]], np.float32)
            for n in caches}
    made, seen = [], 0
    for _ in range(tokens):
        seen += len(ids)
        feed = {"input_ids": np.array([ids], np.int64),
                "attention_mask": np.ones((1, seen), np.int64), **past}
        if "position_ids" in inputs:
            feed["position_ids"] = np.arange(seen - len(ids), seen)[None]
        logits, *present = s.run(None, feed)
        past = dict(zip(caches, present))
        ids = [int(logits[0, -1].argmax())]
        made += ids
    return made


for r in range(requests):
    print(generate([(7 * r + i) % 90 + 2 for i in range(prompt)]))
    print(*map(repr, clock.calls), file=sys.stderr)
    clock.calls = []
