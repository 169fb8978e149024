"""What a decorator and a section of the package add to a call, in ns: with nobody
listening, and with a collector; beside them the decorators of CodeCarbon and Zeus,
where they are installed.

    PYTHONPATH=python python python_package.py
"""
import contextlib
import io
import logging
import os
import statistics
import tempfile
import time

import ortmeter
from ortmeter import monitor

CALLS, ROUNDS = 1000, 60


def nothing():
    pass


def ns_a_call(f, calls):
    start = time.perf_counter_ns()
    for _ in range(calls):
        f()
    return (time.perf_counter_ns() - start) / calls


def undisturbed(f, calls=CALLS, rounds=ROUNDS):
    """Of blocks, a tenth is faster: nobody wanted the processor meanwhile."""
    return statistics.quantiles([ns_a_call(f, calls) for _ in range(rounds)], n=10)[0]


@monitor.monitor_inference("decorated")
def decorated():
    pass


def section():
    with monitor.section("prefill", "layers"):
        pass


def batch():
    with monitor.monitor_batch(batch_size=8):
        pass


OURS = {"decorator": decorated, "section": section, "batch": batch,
        "mark": lambda: monitor.mark("here")}


def ours(base):
    return {name: undisturbed(f) - base for name, f in OURS.items()}


def codecarbon():
    """Measures the whole process: a few calls are enough."""
    from codecarbon import track_emissions
    f = track_emissions(nothing, offline=True, country_iso_code="DEU", save_to_file=False,
                        log_level="critical", measure_power_secs=3600)
    return min(ns_a_call(f, 1) for _ in range(3))


def zeus():
    from zeus.monitor import ZeusMonitor
    m = ZeusMonitor(gpu_indices=[], cpu_indices=[])

    def f():
        m.begin_window("x", sync_execution=False)
        m.end_window("x", sync_execution=False)
    return undisturbed(f, 10, 10)


def others():
    logging.disable(logging.CRITICAL)
    for name, measure in (("CodeCarbon's track_emissions", codecarbon),
                          ("Zeus's window", zeus)):
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                yield name, measure(), None
        except Exception as e:  # theirs: what is missing is said
            yield name, None, "%s: %s" % (type(e).__name__, e)


def main():
    base = undisturbed(nothing)
    quiet = ours(base)
    with tempfile.TemporaryDirectory() as folder:
        with ortmeter.record(os.path.join(folder, "bench.db"), rate=0):
            heard = ours(base)
    print("a call of nothing: %.0f ns; what is added, ns:" % base)
    for name in OURS:
        print("  %-30s %9.0f without a collector, %9.0f with one"
              % (name, quiet[name], heard[name]))
    for name, ns, why in others():
        print("  %-30s %s" % (name, "not here: " + why if ns is None else
                              "%9.0f, x %.0f of our decorator with a collector"
                              % (ns - base, (ns - base) / heard["decorator"])))


main()
