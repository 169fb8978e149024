"""generate_loop.py MODELS -- a plain loop on onnxruntime over the layouts whose
numbers are rounded (fp16, int8, int4): their tokens depend on the processor, so
they are made here and now.  Prints {"model/layout": {"cache": [ids...],
"nocache": [ids...]}}, for every prompt of the reference."""
import glob
import json
import os
import sys

import numpy as np
import onnxruntime as ort

TYPES = {"tensor(float)": np.float32, "tensor(float16)": np.float16}


def head_size(folder, declared):
    if isinstance(declared, int):
        return declared
    with open(os.path.join(folder, "genai_config.json")) as file:
        return json.load(file)["model"]["decoder"]["head_size"]


class Model:
    def __init__(self, folder):
        path = glob.glob(folder + "/*.onnx")[0]
        self.session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
        self.inputs = {i.name: i for i in self.session.get_inputs()}
        self.outputs = [o.name for o in self.session.get_outputs()]
        self.folder = folder

    def empty(self):
        past = {}
        for name, i in self.inputs.items():
            if name.startswith("past"):
                shape = [1, i.shape[1], 0, head_size(self.folder, i.shape[3])]
                past[name] = np.zeros(shape, TYPES[i.type])
        return past

    def step(self, ids, past, before):
        """The likeliest token behind these, and the cache with them."""
        whole = before + len(ids)
        feed = {"input_ids": np.array([ids], np.int64),
                "attention_mask": np.ones((1, whole), np.int64), **past}
        if "position_ids" in self.inputs:
            feed["position_ids"] = np.arange(before, whole, dtype=np.int64)[None]
        made = dict(zip(self.outputs, self.session.run(None, feed)))
        cache = {name: made[name.replace("past_key_values", "present")] for name in past}
        return int(made["logits"][0, -1].argmax()), cache


def loop(model, prompt, count, cached):
    ids, past, before, made = list(prompt), model.empty(), 0, []
    for _ in range(count):
        token, cache = model.step(ids, past, before)
        made.append(token)
        if cached:
            before += len(ids)
            ids, past = [token], cache
        else:
            ids.append(token)
    return made


def main():
    models, found = sys.argv[1], {}
    for path in sorted(glob.glob(models + "/*/expected.json")):
        with open(path) as file:
            truth = json.load(file)
        for layout in truth["layouts"]:
            if not any(kind in layout for kind in ("fp16", "int8", "int4")):
                continue
            folder = os.path.join(os.path.dirname(path), layout)
            name = os.path.basename(os.path.dirname(path)) + "/" + layout
            model = Model(folder)
            prompts = [p["prompt_ids"] for p in truth["prompts"]]
            found[name] = {how: [loop(model, p, truth["new_tokens"], how == "cache")
                                 for p in prompts] for how in ("cache", "nocache")}
    json.dump(found, sys.stdout)


main()
