"""Requests that come together in one asyncio program: each is a section, whose
inference runs in a thread.

    ortmeter run -- python asyncio_requests.py model.onnx [requests]
"""
import asyncio
import sys

import numpy as np
import onnxruntime as ort
from ortmeter import monitor

session = ort.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
requests = int(sys.argv[2]) if len(sys.argv) > 2 else 20


@monitor.monitor_inference("request")
async def answer(number):
    x = np.full((1, 64), number, np.float32)
    loop = asyncio.get_running_loop()
    (y,) = await loop.run_in_executor(None, session.run, None, {"x": x})
    return float(y.sum())


async def main():
    answers = await asyncio.gather(*(answer(i) for i in range(requests)))
    print(len(answers), "answers")


asyncio.run(main())
