"""Finds the program `ortmeter` and its library, and loads the library.

libortmeter.so is an extension module itself.  Under `ortmeter run` it is loaded
already, and that very copy is taken."""

import os
import sys
import types
import warnings
from typing import Any, Iterator, List, Optional

from ._version import __version__

_HERE = os.path.dirname(os.path.abspath(__file__))
_LIBRARY = "libortmeter.so"


def _folders() -> Iterator[str]:
    """Where the program may be: of a package that is edited, what was built of
    it; else beside the Python that has the package; or on PATH."""
    for finder in sys.meta_path:
        if getattr(finder, "_name", "") == "ortmeter":
            yield str(getattr(finder, "_build_path", ""))
    source = os.path.dirname(os.path.dirname(_HERE))
    if os.path.exists(os.path.join(source, "meson.build")):
        yield os.path.join(source, "build")
    yield os.path.normpath(os.path.join(_HERE, "../../../../bin"))
    yield os.path.normpath(os.path.join(_HERE, "../bin"))  # pip install --target
    yield from os.environ.get("PATH", "").split(os.pathsep)


def _find(name: str) -> Optional[str]:
    for folder in _folders():
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    return None


def program() -> str:
    """The path of the program; FileNotFoundError where there is none."""
    path = _find("ortmeter")
    if path is None:
        raise FileNotFoundError(
            "there is no program ortmeter beside this Python or on PATH; "
            "install the package again")
    return path


def library(name: str) -> Optional[str]:
    """The path of a library of ours, which lies beside the program, or in the
    lib beside its folder."""
    beside = os.path.dirname(os.path.realpath(_find("ortmeter") or _HERE))
    for folder in (beside, os.path.join(beside, "../lib")):
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.isfile(path):
            return path
    return _find(name)


def _preloaded() -> Optional[str]:
    """The library's path, if the process has it already."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            for line in maps:
                if line.rstrip("\n").endswith("/" + _LIBRARY):
                    return line.rstrip("\n").split(None, 5)[5]
    except OSError:
        pass
    return None


def _load(path: str) -> types.ModuleType:
    from importlib.machinery import ExtensionFileLoader, ModuleSpec
    from importlib.util import module_from_spec

    loader = ExtensionFileLoader("ortmeter._ortmeter", path)
    spec = ModuleSpec("ortmeter._ortmeter", loader, origin=path)
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


class Nobody:
    """In the library's place where it cannot be loaded: nothing is recorded."""

    class Section:
        def __init__(self, phase: str, name: str) -> None:
            pass

        def __enter__(self) -> "Nobody.Section":
            return self

        def __exit__(self, *_: object) -> None:
            pass

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def listening(self) -> bool:
        return False

    def now(self) -> int:
        return 0

    def listen(self, _folder: str) -> int:
        raise RuntimeError("ortmeter cannot record this process: " + self.reason)

    def _nothing(self, *_: object) -> None:
        pass

    section_from = batch = batch_lasting = token = mark = thread_name = _nothing
    stop = take = session = _nothing


def _choose() -> Any:
    path = _preloaded() or library(_LIBRARY)
    why: List[str] = []
    if path is None:
        why.append("there is no " + _LIBRARY + " beside the program")
    else:
        try:
            loaded: Any = _load(path)
            if loaded.version() == __version__:
                return loaded
            why.append("the package is %s and the library %s is %s: install one version"
                       % (__version__, path, loaded.version()))
        except ImportError as e:
            why.append(str(e))
    warnings.warn("ortmeter: sections and marks are not recorded: " + why[0], stacklevel=4)
    return Nobody(why[0])


native: Any = _choose()
