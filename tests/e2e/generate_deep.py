"""generate_deep.py ORTMETER ORT MODELS -- what `generate --depth deep` says of
values, against plain sums in doubles: every operator's output is made an output
of the graph, the same tokens go through it, and all figures are reckoned again.
The weights of attention are reckoned again from what their softmax reads."""
import json
import os
import subprocess
import sys

import numpy as np
import onnxruntime as ort

ortmeter, library, models = sys.argv[1:4]
wrong = compared = attended = 0


def complain(what):
    global wrong
    wrong += 1
    if wrong < 20:
        print("WRONG " + what)


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(tag, content):
    return bytes([tag]) + varint(len(content)) + content


def session_of(path, names):
    """A message that comes twice is merged: more outputs of the graph."""
    with open(path, "rb") as file:
        model = file.read()
    for name in names:
        model += field(0x3A, field(0x62, field(0x0A, name.encode())))
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class Run:
    """The exported run: operators of the other graph, and what they put out."""

    def __init__(self, path):
        with open(path) as file:
            self.run = json.load(file)
        rows = self.run["activations"]
        self.inferences = sorted({row["inference"] for row in rows})
        self.rows = {}
        for row in rows:
            self.rows.setdefault(row["inference"], []).append(row)
        self.outputs, self.inputs = {}, {}
        for t in self.run["operator_tensors"]:
            where = self.outputs if t["is_output"] else self.inputs
            if t.get("name"):
                where[t["operator"], t["position"]] = t["name"]

    def names(self, inference):
        return {(r["operator"], r["output"]): self.outputs[r["operator"], r["output"]] for r in self.rows[inference]}


def near(a, b):
    """Where all weight is at one place the entropy is what rounding left of it."""
    return abs(a - b) <= 1e-5 * max(abs(a), abs(b)) + 1e-7


def check_row(name, row, tensor):
    global compared
    x = tensor.astype(np.float64).ravel()
    x = x[np.isfinite(x)]  # a mask is infinite
    if x.size + row["nans"] + row["infinities"] != row["elements_read"]:
        complain("%s: %d are finite" % (name, x.size))
    if not x.size:
        return
    want = {
        "mean_abs": np.abs(x).mean(),
        "std_dev": x.std(),
        "max_abs": np.abs(x).max(),
        "near_zero": float((np.abs(x) < 1e-4).sum()),
        "negative": float((tensor < 0).sum()),
    }
    compared += 1
    for key, value in want.items():
        if not near(row[key], value):
            complain("%s: %s is %r, not %r" % (name, key, row[key], value))


def check_heads(name, row, weights, scores):
    """[batch, heads, rows, row]."""
    global attended
    p = weights.astype(np.float64)
    s = scores.astype(np.float64)
    again = np.exp(s - s.max(-1, keepdims=True))
    again /= again.sum(-1, keepdims=True)
    if np.abs(again - p).max() > 1e-4:
        complain("%s: weights differ by %g" % (name, np.abs(again - p).max()))
    logs = np.log(np.where(p > 0, p, 1))
    want = {
        "attention_entropy_per_head": -(p * logs).sum(-1).mean((0, 2)),
        "max_attention_weight_per_head": p.max((0, 2, 3)),
        "attention_sparsity_per_head": (p < 0.01).mean((0, 2, 3)),
    }
    attended += 1
    for key, values in want.items():
        if len(row[key]) != len(values) or not all(near(a, b) for a, b in zip(row[key], values)):
            complain("%s: %s is %s, not %s" % (name, key, row[key], values.tolist()))


def check_step(name, run, inference, made):
    for row in run.rows[inference]:
        tensor = made.get(run.outputs[row["operator"], row["output"]])
        what = "%s, %s" % (name, run.outputs[row["operator"], row["output"]])
        if tensor is None or tensor.size != row["elements"]:
            complain(what + ": of another size")
            continue
        check_row(what, row, tensor)
        if "attention_entropy_per_head" in row:
            check_heads(what, row, tensor, made[run.inputs[row["operator"], 0]])


def check_decoder(name, path, run, prompt, ids):
    extra = set()
    for inference in run.inferences:
        for operator, output in run.names(inference):
            extra.add(run.outputs[operator, output])
            if (operator, 0) in run.inputs and "Softmax" in run.outputs[operator, output]:
                extra.add(run.inputs[operator, 0])
    plain = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    session = session_of(path, sorted(extra - {o.name for o in plain.get_outputs()}))
    outputs = [o.name for o in session.get_outputs()]
    inputs = {i.name: i for i in session.get_inputs()}
    past = {n: np.zeros([1, i.shape[1], 0, i.shape[3]], np.float32) for n, i in inputs.items() if n.startswith("past")}
    before, given = 0, list(prompt)
    for step, inference in enumerate(run.inferences):
        whole = before + len(given)
        feed = {"input_ids": np.array([given], np.int64), "attention_mask": np.ones((1, whole), np.int64), **past}
        if "position_ids" in inputs:
            feed["position_ids"] = np.arange(before, whole, dtype=np.int64)[None]
        made = dict(zip(outputs, session.run(outputs, feed)))
        check_step("%s, token %d" % (name, step), run, inference, made)
        past = {n: made[n.replace("past_key_values", "present")] for n in past}
        before, given = whole, [ids[step]]


def check_encoder_decoder(name, folder, run, prompt, start):
    """The first token: the decoder without a past."""
    encoder = ort.InferenceSession(folder + "/encoder_model.onnx", providers=["CPUExecutionProvider"])
    given = np.array([prompt], np.int64)
    mask = np.ones_like(given)
    hidden = encoder.run(["last_hidden_state"], {"input_ids": given, "attention_mask": mask})[0]
    rows = {i: {run.outputs[r["operator"], r["output"]] for r in run.rows[i]} for i in run.inferences}
    first = next(i for i in run.inferences if any(n == "logits" or n.startswith("/lm_head") for n in rows[i]))
    extra = rows[first] | {run.inputs[r["operator"], 0] for r in run.rows[first] if "attention_entropy_per_head" in r}
    path = folder + "/decoder_model.onnx"
    plain = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    session = session_of(path, sorted(extra - {o.name for o in plain.get_outputs()}))
    outputs = [o.name for o in session.get_outputs()]
    feed = {"input_ids": np.array([[start]], np.int64), "encoder_hidden_states": hidden}
    feed["encoder_attention_mask"] = mask
    made = dict(zip(outputs, session.run(outputs, feed)))
    check_step(name + ", token 0", run, first, made)


def same_time(parts):
    return sum(p["duration_ns"] for p in parts if "graph" not in p)


def check_tables(name, run):
    """A component's steps are its time; both graphs are there, and each softmax
    says of every head what its operator's row does."""
    tokens = run.run["tokens"]
    heads = [str(r["attention_entropy_per_head"]) for r in run.run["activations"] if "attention_entropy_per_head" in r]
    for token in tokens:
        for layer in token["layers"]:
            where = "%s, token %d, layer %d" % (name, token["token_index"], layer["layer_index"])
            if "activation_mean" not in layer:
                complain(where + ": nothing left it")
            steps = [s for c in layer["components"] for s in c["deep_operations"]]
            for c in layer["components"]:
                own = [s for s in c["deep_operations"] if "graph" not in s]
                if own and same_time(own) != c["duration_ns"]:
                    complain("%s: the steps of %s are not its time" % (where, c["component_name"]))
            other = {s["operation_name"] for s in steps if s.get("graph") == "unfused graph"}
            if not {"qk_matmul", "softmax", "value_matmul", "down_proj"} <= other:
                complain("%s: %s" % (where, sorted(other)))
            told = [s for s in steps if "attention_entropy_per_head" in s]
            if not told or any(str(s["attention_entropy_per_head"]) not in heads for s in told):
                complain(where + ": heads are missing, or others")
            if not any("activation_kill_ratio" in s for s in steps):
                complain(where + ": nothing is said of what the activation reads")
            if not any("variance_ratio" in s for s in steps):
                complain(where + ": no variance before and behind a norm")


for model in "llama", "gpt2", "phi3", "qwen3", "t5":
    folder = "%s/%s/optimum" % (models, model)
    with open("%s/%s/expected.json" % (models, model)) as file:
        truth = json.load(file)
    prompt, ids = truth["prompts"][0]["prompt_ids"], truth["prompts"][0]["greedy_ids"]
    command = [ortmeter, "generate", folder, "--ort", library, "--db", model + ".db", "--json", "--rate", "0"]
    command += ["--energy", "off", "--greedy", "--ignore-eos", "--max-tokens", "3", "--depth", "deep"]
    command += ["--tokens", ",".join(map(str, prompt))]
    made = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    if made["generate"]["generations"][0]["texts"][0]["ids"] != ids[:3] or made["tokens"]["count"] != 3:
        complain(model + ": other tokens")
    if made["generate"]["deep"].get("tokens") != 3 or not made["generate"]["deep"]["cost_ms"] > 0:
        complain("%s: %s" % (model, made["generate"]["deep"]))
    export = [ortmeter, "export", "last", "--db", model + ".db", "-f", "json", "--quiet", "-o", model + ".json"]
    subprocess.run(export, check=True)
    run = Run(model + ".json")
    check_tables(model, run)
    if model == "t5":
        check_encoder_decoder(model, folder, run, prompt, truth["config"].get("decoder_start_token_id", 0))
    else:
        check_decoder(model, os.path.join(folder, "model.onnx"), run, prompt, ids)
print("%d outputs and the heads of %d layers as reckoned again, %d not" % (compared, attended, wrong))
sys.exit(wrong > 0 or not compared or not attended)
