"""tokenize_peer.py TOKENIZER.json TURNS FILE... -- what bench/tokenize.c does, with
Hugging Face's tokenizers on one thread."""
import json
import os
import statistics
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file(sys.argv[1])
tokenizer.no_truncation()
tokenizer.no_padding()
texts = [open(path, encoding="utf-8").read() for path in sys.argv[3:]]
took = []
for _ in range(int(sys.argv[2])):
    since = time.perf_counter()
    tokens = sum(len(tokenizer.encode(text).ids) for text in texts)
    took.append(time.perf_counter() - since)
print(json.dumps({"bytes": sum(len(t.encode()) for t in texts), "tokens": tokens, "seconds": statistics.median(took)}))
