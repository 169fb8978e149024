"""decode_peer.py FOLDER THREADS TOKENS TURNS -- the median time of a later token,
made by onnxruntime-genai with so many threads, as JSON."""
import json
import os
import shutil
import statistics
import sys
import tempfile
import time

import onnxruntime_genai as og

PROMPT = 16
folder, threads, tokens, turns = sys.argv[1], *map(int, sys.argv[2:5])
with tempfile.TemporaryDirectory() as own:  # the same model, other settings
    for name in os.listdir(folder):
        if name != "genai_config.json":
            os.symlink(os.path.abspath(os.path.join(folder, name)), os.path.join(own, name))
    config = json.load(open(folder + "/genai_config.json"))
    config["model"]["decoder"]["session_options"]["intra_op_num_threads"] = threads
    json.dump(config, open(own + "/genai_config.json", "w"))
    model = og.Model(own)
    medians = []
    for _ in range(turns):
        params = og.GeneratorParams(model)
        params.set_search_options(do_sample=False, max_length=PROMPT + tokens, min_length=PROMPT + tokens)
        generator = og.Generator(model, params)
        generator.append_tokens([i + 3 for i in range(PROMPT)])
        took = []
        for i in range(tokens):
            since = time.perf_counter_ns()
            generator.generate_next_token()
            took.append(time.perf_counter_ns() - since)
        medians.append(statistics.median(took[2:]))
        last = int(generator.get_sequence(0)[-1])
        del generator
    print(json.dumps({"peer_us": statistics.median(medians) / 1e3, "last": last}))
