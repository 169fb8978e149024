"""Two copies of onnxruntime in one process, under two names: two.py MODEL COUNT
FOLDER-OF-THE-OTHER."""
import importlib
import os
import shutil
import sys

import numpy as np
import onnxruntime

model, count, other = sys.argv[1], int(sys.argv[2]), sys.argv[3]
folder = os.path.join(os.environ["TMPDIR"], "copy")
if not os.path.isdir(folder):
    shutil.copytree(os.path.join(other, "onnxruntime", "capi"),
                    os.path.join(folder, "another_ort"),
                    ignore=shutil.ignore_patterns("libonnxruntime.so*", "training"))
sys.path.insert(0, folder)
state = importlib.import_module("another_ort.onnxruntime_pybind11_state")

x = {"x": np.ones((3, 64), np.float32)}
first = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
for _ in range(count):
    a = first.run(None, x)[0]
second = state.InferenceSession(state.SessionOptions(), model, True, False)
second.initialize_session([], [], set())
for _ in range(count + 1):
    b = second.run([first.get_outputs()[0].name], x, None)[0]
print(np.allclose(a, b), onnxruntime.__version__, state.get_version_string())
