#!/usr/bin/env python3
"""generate.py ORTMETER ORT MODELS -- every model and layout of the recorded
language models: the same tokens and first numbers as the reference gave."""
import glob
import json
import math
import os
import struct
import subprocess
import sys

ortmeter, ort, models = sys.argv[1:4]
wrong = good = 0


def complain(what):
    global wrong
    wrong += 1
    print("WRONG " + what)


def generate(folder, *options):
    command = [ortmeter, "generate", folder, "--ort", ort, "--db", "t.db", "--json", "--rate", "0"]
    command += ["--energy", "off", "--ops", "off", "--greedy", *options]
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if out.returncode:
        return None, out.stderr.decode().strip()
    return json.loads(out.stdout)["generate"]["generations"], None


def numbers(path):
    data = open(path, "rb").read()
    header = struct.unpack("<H", data[8:10])[0]
    data = data[10 + header :]
    return struct.unpack("<%df" % (len(data) // 4), data)


def expected(truth, layout, i):
    facts = truth["layouts"][layout]
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
    exact = not any(kind in layout for kind in ("fp16", "int8", "int4"))
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
                same_ids(name, made[0]["texts"][0]["ids"], expected(truth, layout, i), cache)
                if exact and not other and cache:
                    path = "%s/%s/first_logits_p%d.npy" % (models, model, i)
                    bound = 1e-2 if folder.endswith("gemma2/genai-fp32") else 1e-4
                    same_logits(name, made[0]["first_logits"], path, bound)


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


only = sys.argv[4:]
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
print("%d generations as the reference, %d not" % (good, wrong))
sys.exit(wrong > 0)
