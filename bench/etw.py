"""etw.py BUILD [MB] -- how fast `ortmeter etw stats` reads a trace, beside a
plain read of the same bytes, and how much memory it takes.

The trace (2 GB unless said otherwise) is made by the writer in TMPDIR, and is
gone afterwards.  Both take turns on the same file, so the ratio holds where the
speeds do not.
"""
import os
import subprocess
import sys
import tempfile
import time

LIMIT_MB = 64
AIM_MB_S = 300


def plain_read(path):
    began = time.monotonic()
    with open(path, "rb", buffering=0) as file:
        piece = bytearray(1 << 16)
        while file.readinto(piece):
            pass
    return time.monotonic() - began


def stats(ortmeter, path):
    """Seconds of CPU and of the clock, and the most that was resident: anonymous
    and mapped."""
    began = time.monotonic()
    with subprocess.Popen([ortmeter, "etw", "stats", path, "--json"],
                          stdout=subprocess.DEVNULL) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit("etw stats failed")
    return (usage.ru_utime + usage.ru_stime, time.monotonic() - began,
            usage.ru_maxrss / 1024)


def main(build, megabytes="2048"):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "big.etl")
        subprocess.run([f"{build}/tests/programs/etw_maker", "big", path,
                        megabytes], check=True)
        size = os.path.getsize(path) / 1e6
        for _ in range(2):  # the first brings the file into the cache
            read = plain_read(path)
            cpu, wall, resident = stats(f"{build}/ortmeter", path)
        print(f"etw stats, {size:.0f} MB: {size / cpu:.0f} MB/s of CPU time, "
              f"{size / wall:.0f} MB/s by the clock "
              f"(aim {AIM_MB_S}); a plain read: {size / read:.0f} MB/s")
        verdict = "ok" if resident <= LIMIT_MB else "FAIL"
        print(f"etw stats, memory: {resident:.1f} MB resident, anonymous and "
              f"mapped (limit {LIMIT_MB}): {verdict}")


main(*sys.argv[1:])
