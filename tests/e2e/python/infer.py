"""infer.py MODEL COUNT THREADS INPUTS -- each thread runs the model that often, all
on one session.  INPUTS is a JSON list of {name, type, shape}, as `ortmeter bench`
has it."""
import json
import sys
import threading

import numpy as np
import onnxruntime as ort

model, count, threads, inputs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
options = ort.SessionOptions()
options.intra_op_num_threads = 1
s = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
# A number that stands alone is a rate: silero knows 8 and 16 kHz.
feed = {i["name"]: np.full(i["shape"], 1 if i["shape"] else 16000, i["type"])
        for i in json.loads(inputs)}


def work():
    for _ in range(count):
        s.run(None, feed)


many = [threading.Thread(target=work) for _ in range(threads)]
for t in many:
    t.start()
for t in many:
    t.join()
