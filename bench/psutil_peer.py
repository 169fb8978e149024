"""The same facts by psutil: psutil_peer.py, driven by bench/sampling.c.

Each line on stdin is one job, "KIND COUNT PID...": COUNT collections of all
the processes.  Kind "four" collects CPU times, memory, I/O and threads,
"five" their connections as well; both in psutil's oneshot().  Answers with the
median of a collection, in microseconds, on a line of its own.
"""

import statistics
import sys
import time

import psutil


def collect(processes, sockets):
    for process in processes:
        with process.oneshot():
            process.cpu_times()
            process.memory_info()
            process.io_counters()
            process.num_threads()
            if sockets:
                process.connections()


def main():
    for line in sys.stdin:
        kind, count, *pids = line.split()
        processes = [psutil.Process(int(pid)) for pid in pids]
        took = []
        for _ in range(int(count)):
            start = time.perf_counter_ns()
            collect(processes, kind == "five")
            took.append(time.perf_counter_ns() - start)
        print(statistics.median(took) / 1000, flush=True)


main()
