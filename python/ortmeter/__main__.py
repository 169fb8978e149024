"""python -m ortmeter: the program, where its folder is not on PATH."""
import os
import sys
import sysconfig


def folders():
    """Where pip puts programs, of this Python, or of the user; or where it built
    this one, if the package is installed as it is edited (pip install -e)."""
    yield sysconfig.get_path("scripts")
    yield sysconfig.get_path("scripts", "posix_user")
    for finder in sys.meta_path:
        if getattr(finder, "_name", "") == "ortmeter":
            yield getattr(finder, "_build_path", "")


for folder in folders():
    program = os.path.join(folder, "ortmeter")
    if os.access(program, os.X_OK):
        os.execv(program, [program] + sys.argv[1:])
sys.exit("ortmeter: there is no program of that name in "
         + " or ".join(folders()) + "; install the package again")
