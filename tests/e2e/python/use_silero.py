"""Is there speech?  By silero-vad's model; its own wrapper needs torch.
use_silero.py MODEL"""
import sys

import numpy as np
import onnxruntime as ort

s = ort.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
state = np.zeros((2, 1, 128), np.float32)
context = np.zeros((1, 64), np.float32)
noise = np.random.default_rng(1)
for i in range(312):
    sound = (noise.standard_normal((1, 512)) * (i % 7) / 20).astype(np.float32)
    x = np.concatenate([context, sound], axis=1)
    out, state = s.run(None, {"input": x, "state": state,
                              "sr": np.array(16000, np.int64)})
    context = x[:, -64:]
    print("%.4f" % out[0, 0])
