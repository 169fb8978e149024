"""100,000 calls of every kind: memory and reference counts stay as they are.
Prints what grew, and nothing if nothing did."""
import gc
import sys
import threading

import numpy as np
import onnxruntime as ort

options = ort.SessionOptions()
options.intra_op_num_threads = 1
s = ort.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
two = ort.SessionOptions()
two.intra_op_num_threads = 2
with_pool = ort.InferenceSession(sys.argv[1], two, providers=["CPUExecutionProvider"])
x = np.ones((1, 64), np.float32)
feed = {"x": x}
out = [s.get_outputs()[0].name]
value = ort.OrtValue.ortvalue_from_numpy(x)


def bind():
    b = s.io_binding()
    b.bind_cpu_input("x", x)
    b.bind_output(out[0])
    s.run_with_iobinding(b)


def fail():
    try:
        s.run(["nope"], feed)
    except Exception:
        pass


def later():
    done = threading.Event()
    with_pool.run_async(out, feed, lambda *_: done.set(), None)
    done.wait()


def everything(times):
    for _ in range(times):
        for _ in range(14):
            s.run(out, feed)
        s.run_with_ort_values(out, {"x": value})
        bind()
        fail()
    for _ in range(times // 100):
        later()
        ort.InferenceSession(sys.argv[1], options)


def memory():
    """Of its own: the ring of records is a file, and touched bit by bit."""
    with open("/proc/self/status") as f:
        return [1024 * int(line.split()[1]) for line in f if line.startswith("RssAnon")][0]


def counts():
    gc.collect()
    return [sys.getrefcount(o) for o in (x, feed, out, value, s, s._sess, x.dtype,
                                         "x", ort.InferenceSession, fail)]


everything(200)
resident, held = [memory()], counts()
for _ in range(2):
    everything(int(sys.argv[2]) // 34)
    resident.append(memory())
holds = counts()
# An allocator takes a piece now and then; what leaks grows all the time.
grown = [b - a for a, b in zip(resident, resident[1:])]
if min(grown) > 1 << 20:
    print("resident memory grew by", grown)
for a, b in zip(held, holds):
    if abs(a - b) > 2:
        print("references", a, "then", b)
