"""A service by FastAPI, one session in each worker.

    ortmeter run -- gunicorn service:app -k uvicorn.workers.UvicornWorker --workers 2

MODEL names the model."""
import os

import numpy as np
import onnxruntime as ort
from fastapi import FastAPI
from ortmeter import monitor

app = FastAPI()
session = ort.InferenceSession(os.environ["MODEL"], providers=["CPUExecutionProvider"])


@app.get("/classify")
@monitor.monitor_inference("classify")
def classify(value: float = 1.0):
    (scores,) = session.run(None, {"x": np.full((1, 64), value, np.float32)})
    return {"class": int(scores.argmax()), "pid": os.getpid()}
