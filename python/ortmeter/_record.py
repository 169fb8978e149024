"""Recording oneself: with ortmeter.record("run.db") as run: ...

The collector is a process of its own, `ortmeter collect`: a program that crashes
loses nothing of what it did before."""

import errno
import gc
import json
import os
import subprocess
import sys
import weakref
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, List, Optional, Sequence, Union

from ._native import native, program
from ._runs import Database, OrtmeterError, Run

_EXTENSION = "onnxruntime_pybind11_state"

# Whose end the hook watches already.
_watched: "weakref.WeakSet[Any]" = weakref.WeakSet()


class _Loader(Loader):
    """Loads the extension as it would be, and has its methods taken then."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def create_module(self, spec: ModuleSpec) -> Optional[ModuleType]:
        made: Optional[ModuleType] = self.inner.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        self.inner.exec_module(module)
        if native.listening():
            native.take(module)


class _Finder(MetaPathFinder):
    """Waits for an onnxruntime that is imported later."""

    def find_spec(self, name: str, path: Optional[Sequence[str]],
                  target: Optional[ModuleType] = None) -> Optional[ModuleSpec]:
        if name.rpartition(".")[2] != _EXTENSION:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


_finder = _Finder()


def _take_imported() -> List[str]:
    """The extensions that are there; why some could not be taken."""
    why = []
    for name, module in list(sys.modules.items()):
        if name.rpartition(".")[2] == _EXTENSION and module is not None:
            reason = native.take(module)
            if reason:
                why.append("%s: %s" % (name, reason))
    return why


def _tell_sessions() -> None:
    """Those that were made before: the extension's own are found through
    onnxruntime.InferenceSession, which the garbage collector knows."""
    classes = tuple({c for name, m in list(sys.modules.items()) if m is not None
                     and name.endswith("onnxruntime_inference_collection")
                     for c in [getattr(m, "InferenceSession", None)] if c})
    if not classes:
        return
    for o in gc.get_objects():
        if isinstance(o, classes) and getattr(o, "_sess", None) is not None:
            model = getattr(o, "_model_path", None) or getattr(o, "_model_bytes", None)
            native.session(o._sess, model, getattr(o, "_sess_options", None),
                           int(o not in _watched))
            _watched.add(o)


def _why_not(error: int) -> str:
    """In words, what native.listen() returns."""
    if error == errno.EBUSY:
        return ("this process is being recorded already: by `ortmeter run`, "
                "or by another ortmeter.record()")
    if error == errno.EEXIST:
        return "another copy of libortmeter.so is in this process"
    return "no memory can be shared with the collector: " + os.strerror(error)


class Recording:
    """What record() returns: `with` begins and ends it; start() and stop() do
    the same."""

    def __init__(self, command: List[str], db: Optional[str]) -> None:
        self._command = command
        self._db = db
        self._collector: Optional["subprocess.Popen[str]"] = None
        self._pid = 0
        self.run: Optional[Run] = None

    def start(self) -> Run:
        if native.listening():
            raise OrtmeterError(_why_not(errno.EBUSY))
        self._pid = os.getpid()
        # A group of its own: Ctrl-C is for the program, whose end is waited for.
        self._collector = subprocess.Popen(
            self._command + ["--pid", str(self._pid)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            universal_newlines=True)
        assert self._collector.stdout is not None
        line = self._collector.stdout.readline()
        if not line:
            raise OrtmeterError(self._end() or "the collector ended at once")
        told = json.loads(line)
        why_not = native.listen(told["folder"])
        if why_not:
            self._end()
            raise OrtmeterError(_why_not(why_not))
        if _finder not in sys.meta_path:
            sys.meta_path.insert(0, _finder)
        why = _take_imported()
        if why:
            self.stop()
            raise OrtmeterError("cannot record what is imported: " + "; ".join(why))
        _tell_sessions()
        self.run = Run(Database(self._db), told["run"])
        return self.run

    def _end(self) -> str:
        """Waits for the collector; what went wrong, or nothing."""
        collector, self._collector = self._collector, None
        if collector is None:
            return ""
        _, said = collector.communicate()
        said = said.strip().replace("ortmeter collect: ", "")
        return said or "exit code %d" % collector.returncode if collector.returncode else ""

    def stop(self) -> None:
        # A forked child is recorded by its parent's collector, until that ends.
        if self._collector is None or self._pid != os.getpid():
            return
        native.stop()
        why = self._end()
        if why:
            raise OrtmeterError("the recording is not whole: " + why)

    def __enter__(self) -> Run:
        return self.start()

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        try:
            self.stop()
        except OrtmeterError:
            if error is None:  # else the program's own is what counts
                raise


def record(db: Union[str, "os.PathLike[str]", None] = None, *, ops: str = "auto",
           rate: Optional[float] = None, energy: str = "auto",
           tags: Sequence[str] = ()) -> Recording:
    """Records this process: every inference, sections, CPU and memory.

    `db` is the database (the user's own if not given), `ops` which inferences
    have their operators traced (auto, all, off, or a number N: one in N), `rate`
    how often CPU and memory are sampled, in Hz.  An onnxruntime that is imported
    already, and its sessions, are taken over."""
    name = None if db is None else os.path.abspath(os.fspath(db))
    command = [program(), "collect", "--until-eof", "--ops", str(ops), "--energy", energy]
    if name is not None:
        command += ["--db", name]
    if rate is not None:
        command += ["--rate", str(rate)]
    for tag in tags:
        command += ["--tag", tag]
    return Recording(command, name)
