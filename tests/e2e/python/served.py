"""A web application of one function, for gunicorn: an inference a request."""
import os

import numpy as np
import onnxruntime as ort

session = ort.InferenceSession(os.environ["MODEL"], providers=["CPUExecutionProvider"])
x = {"x": np.ones((3, 64), np.float32)}


def app(environ, start_response):
    text = b"%.6f %d\n" % (session.run(None, x)[0].sum(), os.getpid())
    start_response("200 OK", [("Content-Length", str(len(text)))])
    return [text]
