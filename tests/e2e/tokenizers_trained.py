#!/usr/bin/env python3
"""tokenizers.py TOKENS DATA -- our tokenizer against what Hugging Face's gave,
for all strings of DATA: encode, decode, token by token."""
import gzip
import json
import os
import subprocess
import sys

tokens, data = sys.argv[1:3]
strings = [json.loads(line)["s"] for line in open(data + "/strings-shared.jsonl")]
summary = json.load(open(data + "/expected/summary.json"))["trained"]
wrong = 0


def complain(name, i, what, got, want):
    global wrong
    wrong += 1
    if wrong <= 20:
        print("%s: string %d %r: %s is %r, not %r" % (name, i, strings[i][:60], what, got, want))


def lines(path):
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]


for name, facts in sorted(summary.items()):
    given = "".join(json.dumps(s) + "\n" for s in strings)
    out = subprocess.run(
        [tokens, "%s/%s/tokenizer.json" % (data, name)],
        input=given.encode(), stdout=subprocess.PIPE, check=True,
    ).stdout.decode()
    ours = [json.loads(line) for line in out.split("\n")[:-1]]
    assert len(ours) == len(strings), name
    for truth, our in zip(lines("%s/expected/%s.jsonl.gz" % (data, name)), ours):
        i = truth["i"]
        around = facts["prefix_ids"] + truth["ids"] + facts["suffix_ids"]
        for what, want in (
            ("ids", truth["ids"]),
            ("special", around),
            ("d", truth.get("d", strings[i])),
            ("ds", truth.get("ds", strings[i])),
        ):
            if our[what] != want:
                complain(name, i, what, our[what], want)
    for truth in lines("%s/expected/stream-%s.jsonl.gz" % (data, name)):
        want = [chunk or "" for chunk in truth["chunks"]]
        got = ours[truth["i"]]["chunks"]
        if ours[truth["i"]]["ids"] == truth["ids"] and got != want:
            complain(name, truth["i"], "chunks", got, want)
    print("%s: %d strings, %d ids" % (name, len(ours), sum(len(o["ids"]) for o in ours)))
print("%d differences" % wrong)
sys.exit(wrong > 0)
