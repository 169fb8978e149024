"""What capture adds to a call of run() in Python, in ns, and as a ratio; beside it
a wrapper in Python around the same call, and one that keeps the shapes.

All in one process, in turns: the hook's function is put back and taken out of the
method (PyMethodDef.ml_meth), whose own is found in a method that the hook leaves
alone: pybind11 has one function for all.

    ortmeter run --ops off -- python python_run.py
"""
import ctypes
import statistics
import sys
import time

import numpy as np
import onnxruntime as ort

CALLS, ROUNDS = 40, 400  # short: others want the processor, too


def definition(method):
    """The words of a builtin's PyMethodDef: name, function, flags, doc."""
    function = ctypes.cast(id(method), ctypes.POINTER(ctypes.c_void_p))
    return ctypes.cast(function[2], ctypes.POINTER(ctypes.c_void_p))


class Method:
    """InferenceSession.run of the extension, with the hook or without."""

    def __init__(self, session):
        raw = type(session._sess)
        self.words = definition(raw.__dict__["run"].__func__)
        self.hooked = self.words[1]
        self.real = definition(raw.__dict__["get_providers"].__func__)[1]
        if self.hooked == self.real:
            sys.exit("the hook is not there: start it by `ortmeter run`")

    def hook(self, on):
        self.words[1] = self.hooked if on else self.real


def wrapped(run, kept):
    def call(names, feed):
        start = time.perf_counter_ns()
        out = run(names, feed)
        kept.append(time.perf_counter_ns() - start)
        return out
    return call


def wrapped_shapes(run, kept):
    def call(names, feed):
        shapes = {k: v.shape for k, v in feed.items()}
        start = time.perf_counter_ns()
        out = run(names, feed)
        kept.append((time.perf_counter_ns() - start, shapes))
        return out
    return call


def ns_a_call(run, feed):
    start = time.perf_counter_ns()
    for _ in range(CALLS):
        run(None, feed)
    return (time.perf_counter_ns() - start) / CALLS


def undisturbed(values):
    """Of blocks that take turns, a tenth is faster than this: nobody wanted the
    processor meanwhile."""
    return statistics.quantiles(values, n=10)[0]


def measure(name, session, feed, aim):
    kept = []
    method = Method(session)
    ways = [("", False, session.run),
            ("capture", True, session.run),
            ("a wrapper in Python", False, wrapped(session.run, kept)),
            ("the same, with shapes", False, wrapped_shapes(session.run, kept))]
    took = {w[0]: [] for w in ways}
    for _ in range(ROUNDS):
        for what, on, run in ways:
            method.hook(on)
            took[what].append(ns_a_call(run, feed))
            kept.clear()
    method.hook(True)
    base, middle = undisturbed(took[""]), statistics.median(took[""])
    print("%s, %d input%s: %.0f ns a call, undisturbed; %.0f in the median"
          % (name, len(feed), "s" * (len(feed) > 1), base, middle))
    for what, on, _ in ways[1:]:
        more = undisturbed(took[what]) - base
        print("  %-24s %+7.0f ns   x %.3f   (median %+.0f)%s" % (
            what, more, (base + more) / base, statistics.median(took[what]) - middle,
            "   aim %d: %s" % (aim, "ok" if more <= aim else "NO") if on else ""))


def field(number, value):
    """One of protobuf: a number, or bytes with their length."""
    def varint(n):
        out = b""
        while n > 127:
            out += bytes([n & 127 | 128])
            n >>= 7
        return out + bytes([n])
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def sum_of(names):
    """A model that adds tensors of one number each."""
    one = field(1, 1)  # a dimension
    kind = field(1, field(1, 1) + field(2, field(1, one) + field(1, one)))
    graph = field(1, b"".join(field(1, n) for n in names) + field(2, "y")
                  + field(4, "Sum")) + field(2, "g")
    for n in names:
        graph += field(11, field(1, n) + field(2, kind))
    graph += field(12, field(1, "y") + field(2, kind))
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))


def session_of(names):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    return ort.InferenceSession(sum_of(names), options,
                                providers=["CPUExecutionProvider"])


cache = ["past_key_values.%d.%s" % (i, what) for i in range(4) for what in ("key", "value")]
print("onnxruntime %s, Python %s" % (ort.__version__, sys.version.split()[0]))
for inputs, aim in ((["x"], 300), (["input_ids", "attention_mask"] + cache, 450)):
    measure("a sum", session_of(inputs),
            {n: np.ones((1, 1), np.float32) for n in inputs}, aim)
