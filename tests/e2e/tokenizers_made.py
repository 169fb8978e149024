#!/usr/bin/env python3
"""tokenizers_made.py TOKENS TOKENIZER.json... -- our tokenizer against Hugging
Face's own library, for 10,000 strings made of code points of Unicode 8."""
import json
import random
import subprocess
import sys
import unicodedata

from tokenizers import Tokenizer

COUNT = 10000
WORDS = "the it's I'LL don't 12345 3.14 Hello WORLD <s> </s> <|user|> foo_bar() == été naïve straße".split()
BLANKS = [" ", "  ", "\n", "\r\n", "\t", "   \n ", " \n\n", "\u00a0", "\u3000"]
IN_8 = r'for my $p (0 .. 0xd7ff, 0xe000 .. 0x10ffff) { print "$p\n" if chr($p) =~ /\p{Present_In: 8.0}/ }'
chance = random.Random(8)
points = subprocess.run(["perl", "-e", IN_8], stdout=subprocess.PIPE, check=True).stdout.split()
classes = {}
for point in map(int, points):
    classes.setdefault(unicodedata.category(chr(point)), []).append(chr(point))


def piece():
    kind = chance.random()
    if kind < 0.35:
        return chance.choice(classes[chance.choice(sorted(classes))])
    if kind < 0.5:
        return chance.choice(WORDS)
    if kind < 0.65:
        return chance.choice(BLANKS)
    return chr(chance.randint(32, 126) if kind < 0.85 else chance.randint(0xA0, 0x24F))


strings = ["".join(piece() for _ in range(chance.randint(1, 25))) for _ in range(COUNT)]
given = "".join(json.dumps(s) + "\n" for s in strings).encode()
wrong = 0
for path in sys.argv[2:]:
    theirs = Tokenizer.from_file(path)
    out = subprocess.run([sys.argv[1], path], input=given, stdout=subprocess.PIPE, check=True)
    ours = [json.loads(line) for line in out.stdout.decode().split("\n")[:-1]]
    assert len(ours) == COUNT
    for text, our in zip(strings, ours):
        ids = theirs.encode(text, add_special_tokens=False).ids
        for what, want in (
            ("ids", ids),
            ("special", theirs.encode(text).ids),
            ("d", theirs.decode(ids, skip_special_tokens=False)),
            ("ds", theirs.decode(ids, skip_special_tokens=True)),
        ):
            if our[what] != want:
                wrong += 1
                if wrong <= 10:
                    print("%s: %s of %r is %r, not %r" % (path, what, text, our[what], want))
print("%d strings for %d tokenizers: %d differences" % (COUNT, len(sys.argv) - 2, wrong))
sys.exit(wrong > 0)
