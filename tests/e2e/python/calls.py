"""Runs a model in every way that onnxruntime has, and prints what came of it:
checksums, exceptions with their tracebacks, and last how many inferences were
asked for, and how many of them failed.

    calls.py MODEL [COUNT]
"""
import hashlib
import re
import sys
import threading
import traceback

import numpy as np
import onnxruntime as ort

model = sys.argv[1]
count = int(sys.argv[2]) if len(sys.argv) > 2 else 1009
asked = {"run": 0, "failed": 0, "async": 0, "binding": 0, "sessions": 0}
digest = hashlib.sha256()


def took(outputs):
    for o in outputs:
        digest.update(np.ascontiguousarray(o).tobytes())


def session(source, options=None):
    asked["sessions"] += 1
    return ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def raised(call):
    """Prints what it raises, but for addresses of objects."""
    try:
        call()
        print("no exception")
    except Exception:
        print(re.sub("0x[0-9a-f]+", "0x", traceback.format_exc()))


def plain(s, feed):
    for _ in range(count):
        took(s.run(None, feed))
        asked["run"] += 1


def kinds_of_inputs(s, x):
    """Lists, views, subclasses, OrtValues: whatever run() takes."""
    name = s.get_inputs()[0].name
    for value in (x.tolist(), np.asfortranarray(x), x[::-1], np.matrix(x),
                  ort.OrtValue.ortvalue_from_numpy(x)):
        took(s.run(None, {name: value}))
        asked["run"] += 1


def ort_values(s, x):
    name, out = s.get_inputs()[0].name, s.get_outputs()[0].name
    value = ort.OrtValue.ortvalue_from_numpy(x)
    for _ in range(5):
        took([v.numpy() for v in s.run_with_ort_values([out], {name: value})])
        asked["run"] += 1


def binding(s, x):
    name, out = s.get_inputs()[0].name, s.get_outputs()[0].name
    b = s.io_binding()
    b.bind_cpu_input(name, x)
    b.bind_output(out)
    for _ in range(10):
        s.run_with_iobinding(b)
        took(b.copy_outputs_to_cpu())
        asked["binding"] += 1


def vectors(s, x):
    if not hasattr(s, "run_with_ortvaluevector"):
        return
    from onnxruntime.capi import _pybind_state as C
    name, out = s.get_inputs()[0].name, s.get_outputs()[0].name
    feeds, fetches = C.OrtValueVector(), C.OrtValueVector()
    feeds.push_back(ort.OrtValue.ortvalue_from_numpy(x)._ortvalue)
    device = C.OrtDevice(C.OrtDevice.cpu(), C.OrtDevice.default_memory(), 0)
    s.run_with_ortvaluevector(ort.RunOptions(), [name], feeds, [out], fetches, [device])
    took([fetches[0].numpy()])
    asked["run"] += 1


def asynchronous(s, feed):
    if not hasattr(s, "run_async"):
        return
    for _ in range(20):
        done = threading.Event()
        results = []

        def callback(outputs, data, error):
            results.append((outputs, data, error))
            done.set()

        s.run_async(None, feed, callback, "mine")
        done.wait()
        assert results[0][1:] == ("mine", ""), results
        took(results[0][0])
        asked["async"] += 1


def threads(s, feed):
    def work():
        for _ in range(25):
            s.run(None, feed)

    many = [threading.Thread(target=work) for _ in range(4)]
    for t in many:
        t.start()
    for t in many:
        t.join()
    asked["run"] += 100


def failures(s, x):
    """What is raised is what would be raised without us, to the last line."""
    name = s.get_inputs()[0].name
    for call, counts in (
            (lambda: s.run(["nope"], {name: x}), 1),
            (lambda: s.run(None, {name: x, "more": x}), 1),
            (lambda: s.run(None, {name: x.astype(np.int64)}), 1),
            (lambda: s.run(None, {name: x[:, :1]}), 1),
            (lambda: s._sess.run(1, 2, 3), 1),
            (lambda: s._sess.run(), 1)):
        raised(call)
        asked["run"] += counts
        asked["failed"] += counts
    for source in ("/nonexistent.onnx", b"junk"):
        raised(lambda: session(source))


def bound_before(s, feed):
    """A method fetched long before it is called."""
    run = s._sess.run
    took(run([s.get_outputs()[0].name], feed, None))
    asked["run"] += 1


def main():
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    s = session(model, options)
    shape = [d if isinstance(d, int) else 3 for d in s.get_inputs()[0].shape]
    x = np.random.default_rng(19).standard_normal(shape).astype(np.float32)
    feed = {s.get_inputs()[0].name: x}
    plain(s, feed)
    kinds_of_inputs(s, x)
    ort_values(s, x)
    binding(s, x)
    vectors(s, x)
    threads(s, feed)
    # Run on a pool of threads of its own: ORT refuses it with one thread.
    two = ort.SessionOptions()
    two.intra_op_num_threads = 2
    with open(model, "rb") as f:
        asynchronous(session(f.read(), two), feed)
    failures(s, x)
    bound_before(s, feed)
    print(digest.hexdigest(), s.get_providers(), ort.InferenceSession.run.__doc__)
    print(type(s._sess.run), s._sess.run.__name__, s._sess.run.__doc__)
    print(*asked.values())


main()
