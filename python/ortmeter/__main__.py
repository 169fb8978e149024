"""python -m ortmeter: the program, where its folder is not on PATH.

`python -m ortmeter run app.py` and `run [options] -- app.py` run app.py by this
Python."""

import os
import sys
from typing import List

from ._native import program


def _words(words: List[str]) -> List[str]:
    """A script in the place of run's program, behind `run` or `--`, is Python's
    to run."""
    at = words.index("--") + 1 if "--" in words else 1
    if words[:1] != ["run"] or not words[at:] or not words[at].endswith(".py"):
        return words
    return words[:at] + ([] if "--" in words else ["--"]) + [sys.executable] + words[at:]


def main() -> None:
    try:
        path = program()
    except FileNotFoundError as e:
        sys.exit("ortmeter: %s" % e)
    os.execv(path, [path] + _words(sys.argv[1:]))


if __name__ == "__main__":
    main()
