"""etw_peers.py MAKER TRACE ORTMETER -- dissect.etl must read as many records of
each provider as we do, at the same times; dissect.util must decompress what we
do, to the same bytes.
"""
import collections
import json
import random
import subprocess
import sys

from dissect.etl.etl import ETL
from dissect.util.compression import lznt1, lzxpress, lzxpress_huffman


def read_theirs(path):
    counts = collections.Counter()
    with open(path, "rb") as file:
        for record in ETL(file):
            event = record.event
            counts[round(event.ts().timestamp() * 1e4)] += 1
    return counts


def read_ours(ortmeter, path):
    counts = collections.Counter()
    dump = subprocess.run([ortmeter, "etw", "dump", path], check=True,
                          capture_output=True, text=True).stdout
    for line in dump.splitlines():
        ns = 1700000000 * 10 ** 9 + json.loads(line)["time_ns"]
        counts[round(ns / 1e5)] += 1
    return counts



def xpress(random_):
    """Bytes, and matches of all lengths, as the flags say."""
    out, size, flags, items = bytearray(), 0, 0, bytearray()
    for bit in range(31, -1, -1):
        if size > 8 and random_.random() < 0.5:
            flags |= 1 << bit
            distance = random_.randrange(1, min(size, 8000))
            length = random_.randrange(7)
            items += ((distance - 1) << 3 | length).to_bytes(2, "little")
            size += length + 3
        else:
            items.append(random_.randrange(256))
            size += 1
    out += flags.to_bytes(4, "little") + items
    return bytes(out), size


def lznt1_stream(random_):
    """One chunk: bytes and matches of three."""
    body, size = bytearray(), 0
    while len(body) < 3000:
        flags, items = 0, bytearray()
        for bit in range(8):
            if size > 32 and random_.random() < 0.4:
                bits = 12
                n = size - 1
                while n >= 16:
                    n >>= 1
                    bits -= 1
                distance = random_.randrange(1, size)
                flags |= 1 << bit
                items += ((distance - 1) << bits).to_bytes(2, "little")
                size += 3
            else:
                items.append(random_.randrange(256))
                size += 1
        body.append(flags)
        body += items
        if size > 3900:
            break
    return (0xb000 | len(body) - 1).to_bytes(2, "little") + bytes(body), size


def huffman_stream(random_):
    """All symbols in 9 bits, bytes only: words of 16 bits, one ahead."""
    data = bytes(random_.randrange(256) for _ in range(1000))
    bits = "".join(f"{byte:09b}" for byte in data)
    bits += f"{256:09b}"  # the end
    bits += "0" * (-len(bits) % 16) + "0" * 16
    words = b"".join(int(bits[at:at + 16], 2).to_bytes(2, "little")
                     for at in range(0, len(bits), 16))
    return b"\x99" * 256 + words, data


def unpack(maker, format_, stream, size):
    with open("in.bin", "wb") as file:
        file.write(stream)
    subprocess.run([maker, "unpack", str(format_), str(size), "in.bin",
                    "out.bin"], check=True, capture_output=True)
    with open("out.bin", "rb") as file:
        return file.read()


def main(maker, trace, ortmeter):
    theirs, ours = read_theirs(trace), read_ours(ortmeter, trace)
    if sum(theirs.values()) != sum(ours.values()):
        return f"{sum(theirs.values())} records, not {sum(ours.values())}"
    # Their times are floating-point numbers of seconds.
    for when, count in ours.items():
        near = sum(theirs[when + d] for d in (-1, 0, 1))
        if near < count:
            return f"other times: {when}"
    random_ = random.Random(1)
    for _ in range(40):
        stream, size = xpress(random_)
        if unpack(maker, 3, stream, size) != lzxpress.decompress(stream)[:size]:
            return "XPRESS differs"
        stream, size = lznt1_stream(random_)
        if unpack(maker, 2, stream, size) != lznt1.decompress(stream)[:size]:
            return "LZNT1 differs"
        stream, data = huffman_stream(random_)
        if not (unpack(maker, 4, stream, len(data)) == data ==
                lzxpress_huffman.decompress(stream)[:len(data)]):
            return "XPRESS with Huffman codes differs"
    print(f"{sum(ours.values())} records, 120 streams")
    return 0


sys.exit(main(*sys.argv[1:]))
