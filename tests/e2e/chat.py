#!/usr/bin/env python3
"""chat.py CHAT DATA [PUBLISHED] -- our chat templates against transformers':
every template that is in DATA, and those of packages PUBLISHED-name, for every
conversation, errors included."""
import errno
import glob
import json
import os
import subprocess
import sys

program, data = sys.argv[1:3]
published = sys.argv[3] if len(sys.argv) > 3 else ""
cases, missing = [], []
for path in sorted(glob.glob(data + "/*.json")):
    truth = json.load(open(path))
    template = truth["chat_template"]
    name = os.path.basename(path)[:-5]
    if template is None:
        config = "%s-%s/models/tokenizer_config.json" % (published, name.replace("_npm", ""))
        if not os.path.exists(config):
            missing.append(name)
            continue
        template = json.load(open(config))["chat_template"]
    for case in truth["cases"]:
        context = dict(case.get("extra_variables", {}))
        for key in "messages", "add_generation_prompt", "tools", "documents":
            if key in case:
                context[key] = case[key]
        for key in "bos_token", "eos_token":
            if truth[key] is not None:
                context[key] = truth[key]
        cases.append((name, case, {"template": template, "context": context}))
given = "".join(json.dumps(line) + "\n" for _, _, line in cases)
out = subprocess.run([program], input=given.encode(), stdout=subprocess.PIPE, check=True)
wrong = 0
for (name, case, _), line in zip(cases, out.stdout.decode().split("\n")):
    ours = json.loads(line)
    if "error" in case:
        good = ours.get("code") == -errno.EPROTO and ours["error"] == case["error"]
    else:
        good = ours.get("text") == case["rendered"]
    if not good:
        wrong += 1
        if wrong <= 10:
            print("%s, %s: %r, not %r" % (name, case["name"], ours, case.get("rendered", case.get("error"))))
print("%d renderings of %d templates: %d differ" % (len(cases), len({c[0] for c in cases}), wrong))
if missing:
    print("not there: " + ", ".join(missing))
sys.exit(wrong > 0)
