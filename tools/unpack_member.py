#!/usr/bin/env python3
"""unpack_member.py ARCHIVE NAME FILE -- one file out of a zip archive (a jar, a
wheel): the one for Linux on x86-64 whose name begins with NAME."""
import os
import sys
import zipfile


def fits(path, name):
    folder, file = os.path.split(path)
    return file.startswith(name) and "aarch64" not in folder


def main():
    archive, name, target = sys.argv[1:]
    with zipfile.ZipFile(archive) as z:
        found = [p for p in z.namelist() if fits(p, name)]
        if not found:
            sys.exit(1)
        with open(target + ".part", "wb") as out:
            out.write(z.read(found[0]))
    os.rename(target + ".part", target)


main()
