"""Ends while daemon threads are in run()."""
import sys
import threading
import time

import numpy as np
import onnxruntime as ort

options = ort.SessionOptions()
options.intra_op_num_threads = 1
s = ort.InferenceSession(sys.argv[1], options)
x = {"x": np.ones((3, 64), np.float32)}
started = [threading.Event() for _ in range(3)]


def work(event):
    while True:
        s.run(None, x)
        event.set()


for e in started:
    threading.Thread(target=work, args=(e,), daemon=True).start()
for e in started:
    e.wait()
sys.exit(7)
