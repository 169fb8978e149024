#!/usr/bin/env python3
"""generate.py ORTMETER ORT MODELS LOOP [MODEL...] -- every model and layout of the
recorded language models: the same tokens and first numbers as the reference gave;
where numbers are rounded, as those that generate_loop.py gave here (LOOP is what it
printed, or missing); layers, heads and operators of layers as the model's own
configuration and names have them."""
import glob
import json
import math
import os
import re
import struct
import subprocess
import sys

ortmeter, ort, models, loop_file = sys.argv[1:5]
wrong = good = 0
loops = {}
if os.path.exists(loop_file) and os.path.getsize(loop_file):
    loops = json.load(open(loop_file))


def complain(what):
    global wrong
    wrong += 1
    print("WRONG " + what)


def report(folder, *options):
    command = [ortmeter, "generate", folder, "--ort", ort, "--db", "t.db", "--json", "--rate", "0"]
    command += ["--energy", "off", "--greedy", *options]
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if out.returncode:
        return None, out.stderr.decode().strip()
    return json.loads(out.stdout), None


def generate(folder, *options):
    made, why = report(folder, "--ops", "off", *options)
    return made and made["generate"]["generations"], why


def numbers(path):
    data = open(path, "rb").read()
    header = struct.unpack("<H", data[8:10])[0]
    data = data[10 + header :]
    return struct.unpack("<%df" % (len(data) // 4), data)


def is_exact(layout):
    return not any(kind in layout for kind in ("fp16", "int8", "int4"))


def expected(model, truth, layout, i):
    facts = truth["layouts"][layout]
    loop = loops.get("%s/%s" % (model, layout))
    if loop:
        return {how: ids[i] for how, ids in loop.items()}
    for key in "nowindow_greedy_ids", "sdpa_greedy_ids", "ort_greedy_ids":
        if key in facts:
            ids = facts[key][i]
            return ids if isinstance(ids, list) else ids
    return truth["prompts"][i]["greedy_ids"]


def same_ids(name, got, want, cache):
    global good
    if isinstance(want, dict):
        want = want["cache" if cache else "nocache"]
    if got == want:
        good += 1
    else:
        complain("%s: %s, not %s" % (name, got, want))


def same_logits(name, got, path, bound):
    want = numbers(path)
    most = max(abs(x) for x in want)
    worst = max(abs(a - b) for a, b in zip(got, want))
    if len(got) != len(want) or not worst <= bound * most:
        complain("%s: first logits differ by %g of %g" % (name, worst, most))


def prompt_options(prompt, i, whisper):
    if whisper:
        return [("features", ["--input", "input_features=features%d.npy" % i])]
    ids = ",".join(map(str, prompt["prompt_ids"]))
    return [("text", ["--prompt", prompt["text"]]), ("ids", ["--tokens", ids])]


def check_layout(model, truth, layout):
    folder = "%s/%s/%s" % (models, model, layout)
    count = str(truth["new_tokens"])
    exact = is_exact(layout)
    other = any(key in truth["layouts"][layout] for key in ("nowindow_greedy_ids", "sdpa_greedy_ids"))
    for i, prompt in enumerate(truth["prompts"]):
        for how, options in prompt_options(prompt, i, model == "whisper"):
            for cache in ([True, False] if model == "whisper" else [how == "text"]):
                # A ring of a cache cannot be filled again at once.
                if not cache and (model == "gemma2" and "genai" in layout):
                    cache = True
                name = "%s/%s prompt %d by %s%s" % (model, layout, i, how, "" if cache else " without cache")
                more = ["--max-tokens", count, "--logits", "--ignore-eos"] + ([] if cache else ["--no-cache"])
                made, why = generate(folder, *options, *more)
                if made is None:
                    complain("%s: %s" % (name, why))
                    continue
                same_ids(name, made[0]["texts"][0]["ids"], expected(model, truth, layout, i), cache)
                if exact and not other and cache:
                    path = "%s/%s/first_logits_p%d.npy" % (models, model, i)
                    bound = 1e-2 if folder.endswith("gemma2/genai-fp32") else 1e-4
                    same_logits(name, made[0]["first_logits"], path, bound)


CONFIG = {
    "layers": ("num_hidden_layers", "n_layer", "num_decoder_layers", "decoder_layers"),
    "heads": ("num_attention_heads", "n_head", "num_heads", "decoder_attention_heads"),
    "kv_heads": ("num_key_value_heads",),
    "vocabulary": ("vocab_size",),
}
LAYER = re.compile(r"/(?:layers|h|block|layer)\.([0-9]+)/")


def check_architecture(model, truth, layout):
    """As the configuration says; and each operator with a layer's number in its
    name is of that layer."""
    if model == "whisper":
        return
    folder, config = "%s/%s/%s" % (models, model, layout), truth["config"]
    made, why = report(folder, "--tokens", "5,6,7", "--max-tokens", "2", "--ignore-eos", "--depth", "module")
    if made is None:
        return complain("%s/%s: %s" % (model, layout, why))
    described = made["generate"]["model"]
    if described["architecture"] not in (config["model_type"], config["model_type"].split("_")[0]):
        complain("%s/%s is taken for %s" % (model, layout, described["architecture"]))
    for name, keys in CONFIG.items():
        want = next((config[key] for key in keys if key in config), None)
        if want is not None and described.get(name) != want:
            complain("%s/%s: %s %s, not %s" % (model, layout, name, described.get(name), want))
    numbered = [(LAYER.search(op["name"]), op) for op in made["ops"]]
    named = [(int(m.group(1)), op) for m, op in numbered if m and "encoder" not in op["name"].split("/")[1]]
    for number, op in named:
        # onnxruntime-genai numbers the norm behind the last layer as one more.
        if op.get("layer") != (number if number < described["layers"] else None):
            complain("%s/%s: %s is of layer %s" % (model, layout, op["name"], op.get("layer")))
    if not named and layout != "hand-combined-past":
        complain("%s/%s: no operator is of a layer" % (model, layout))


def check_batch(model, truth, layout):
    """Two prompts of one length at once make what each makes alone; but for int8,
    whose scales are taken over both."""
    if model == "whisper":
        return
    folder = "%s/%s/%s" % (models, model, layout)
    texts = [",".join(map(str, p["prompt_ids"][:9])) for p in truth["prompts"][:2]]
    more = ["--max-tokens", "6", "--ignore-eos"]
    alone = [generate(folder, "--tokens", text, *more)[0][0]["texts"][0]["ids"] for text in texts]
    made, why = generate(folder, "--tokens", texts[0], "--tokens", texts[1], *more)
    if made is None:
        complain("%s/%s, two at once: %s" % (model, layout, why))
    elif [t["ids"] for t in made[0]["texts"]] != alone and "int8" not in layout:
        complain("%s/%s, two at once: %s, not %s" % (model, layout, made[0]["texts"], alone))


def features(k):
    values = []
    for m in range(80):
        for t in range(3000):
            values.append(math.sin(0.37 * m + 0.011 * t * (k + 1)) + 0.5 * math.cos(0.003 * t * m + k))
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 80, 3000), }"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open("features%d.npy" % k, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<%df" % len(values), *values))


only = sys.argv[5:]
for k in 0, 1:
    features(k)
for path in sorted(glob.glob(models + "/*/expected.json")):
    model = path.split("/")[-2]
    truth = json.load(open(path))
    if only and model not in only:
        continue
    for layout in sorted(truth["layouts"]):
        if model == "bert":
            made, why = generate("%s/bert/%s" % (models, layout), "--prompt", "Hello")
            if made is not None or "it makes no text" not in why or "\n" in why:
                complain("bert: %r" % why)
        else:
            check_layout(model, truth, layout)
            check_architecture(model, truth, layout)
            check_batch(model, truth, layout)
            if not is_exact(layout) and not loops:
                print("%s/%s: there is no Python with this onnxruntime to compare with" % (model, layout))
print("%d generations as the reference, %d not" % (good, wrong))
sys.exit(wrong > 0)
