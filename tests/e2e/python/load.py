"""Loads a model some times; prints how long each took, by its own clock."""
import sys
import time

import onnxruntime as ort

for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    s = ort.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
    print((time.perf_counter() - start) * 1e3)
