"""Text, token by token, in the manner of transformers: the cache that a step
returns is handed to the next.  Phases, time to first token and time per token
are seen without a word; the sections and tokens here add names.

    ortmeter run -- python generate.py decoder/model.onnx [tokens]
"""
import sys

import numpy as np
import onnxruntime as ort
from ortmeter import monitor

session = ort.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 16
inputs = {i.name: i for i in session.get_inputs()}
outputs = [o.name for o in session.get_outputs()]
kinds = {"tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(int64)": np.int64}


def empty_cache():
    """Every cache as it is before the first token: 0 tokens long."""
    return {name: np.zeros([d if isinstance(d, int) else (1 if k == 0 else 0)
                            for k, d in enumerate(i.shape)], kinds[i.type])
            for name, i in inputs.items() if name.startswith("past")}


def step(tokens, past, length):
    """The next token, and the cache that goes with it."""
    feed = {"input_ids": np.array([tokens], np.int64),
            "attention_mask": np.ones((1, length), np.int64),
            "position_ids": np.arange(length - len(tokens), length, dtype=np.int64)[None],
            **past}
    got = session.run(outputs, {k: v for k, v in feed.items() if k in inputs})
    cache = {name.replace("present", "past_key_values"): value
             for name, value in zip(outputs, got) if name.startswith("present")}
    return int(got[0][0, -1].argmax()), cache


prompt = [1, 5, 9, 13]
with monitor.section("prefill", "prompt"):
    token, cache = step(prompt, empty_cache(), len(prompt))
text = [token]
monitor.token(0, token)
with monitor.section("decode", "tokens"):
    while len(text) < wanted:
        token, cache = step([token], cache, len(prompt) + len(text))
        monitor.token(len(text), token)
        text.append(token)
print(*text)
