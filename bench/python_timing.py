"""What it costs to time the same empty Run in Python: python_timing.py ORT.

The call goes through ctypes to the stub's Run.  What is added is what a Python
decorator does: perf_counter_ns() before and after, and an append; in a second
variant psutil's CPU times and memory of the process as well.  Bare and timed
calls take turns in short blocks.  One JSON object on stdout.
"""

import ctypes
import functools
import json
import statistics
import sys
import time

import psutil

SLOT_RUN = 9  # wire/ort_api.h
NOTHING = (None, None, None, None, 0, None, 0, None)
ROUNDS = 200
CALLS = 1000
CALLS_PSUTIL = 20  # some hundred times dearer


class ApiBase(ctypes.Structure):
    _fields_ = [
        ("get_api", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)),
        ("get_version_string", ctypes.CFUNCTYPE(ctypes.c_char_p)),
    ]


def find_run(path):
    library = ctypes.CDLL(path)
    library.OrtGetApiBase.restype = ctypes.POINTER(ApiBase)
    table = library.OrtGetApiBase().contents.get_api(30)
    slots = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    kind = ctypes.CFUNCTYPE(pointer, pointer, pointer, pointer, pointer, size,
                            pointer, size, pointer)
    return kind(slots[SLOT_RUN])


def timed(f, records, clock=time.perf_counter_ns):
    @functools.wraps(f)
    def call(*args, **kwargs):
        start = clock()
        result = f(*args, **kwargs)
        end = clock()
        records.append((start, end))
        return result
    return call


def timed_with_psutil(f, records, clock=time.perf_counter_ns):
    process = psutil.Process()

    @functools.wraps(f)
    def call(*args, **kwargs):
        start = clock()
        result = f(*args, **kwargs)
        end = clock()
        records.append((start, end, process.cpu_times(),
                        process.memory_info()))
        return result
    return call


def ns_per_call(f, calls):
    start = time.perf_counter_ns()
    for _ in range(calls):
        f(*NOTHING)
    return (time.perf_counter_ns() - start) / calls


def main():
    records = []
    bare = find_run(sys.argv[1])
    variants = {
        "clock": (timed(bare, records), CALLS),
        "psutil": (timed_with_psutil(bare, records), CALLS_PSUTIL),
    }
    added = {name: [] for name in variants}
    for _ in range(ROUNDS):
        for name, (f, calls) in variants.items():
            base = ns_per_call(bare, calls)
            added[name].append(ns_per_call(f, calls) - base)
            records.clear()
    print(json.dumps({
        name: {"added_ns": statistics.median(values)}
        for name, values in added.items()
    }))


main()
