"""Processes and the machine, looked at many times a second.

    from ortmeter.etw_monitor import ETWMonitor, ETWMonitorConfig

    monitor = ETWMonitor(ETWMonitorConfig(sampling_rate_hz=100.0,
                                          target_process_names={"python"}))
    monitor.start_monitoring()
    ...
    monitor.stop_monitoring()
    monitor.get_process_summary()

All of it is libortmeter-monitor (ortmeter_monitor.h), which reads in a thread of
its own; what could not be read is absent and never 0."""

import ctypes
import os
import time
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Type

from ._native import library

__all__ = ["ETWAccessDeniedError", "ETWError", "ETWMonitor", "ETWMonitorConfig",
           "ETWProviderError", "ETWSessionError", "MetricSample", "MonitorConfig",
           "ProcessMetrics"]


class ETWError(Exception):
    """Something went wrong: the sentence says what."""


class ETWSessionError(ETWError):
    """It could not be started, is started already, or is not."""


class ETWAccessDeniedError(ETWError):
    """We may not."""


class ETWProviderError(ETWError):
    """A source that this system does not have, or that cannot be switched."""


_ERRORS: Dict[int, Type[ETWError]] = {
    -1: ETWError, -2: ETWSessionError, -3: ETWAccessDeniedError, -4: ETWProviderError}


# --- the library's structs, as ortmeter_monitor.h has them ----------------------

_U64, _INT, _REAL = ctypes.c_uint64, ctypes.c_int, ctypes.c_double


class _Sample(ctypes.Structure):
    _fields_ = [("timestamp_ns", _U64), ("kind", ctypes.c_char_p), ("name", ctypes.c_char_p),
                ("number", _U64), ("metric", ctypes.c_char_p), ("unit", ctypes.c_char_p),
                ("value", _REAL)]


_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(_Sample), ctypes.c_size_t)


class _Config(ctypes.Structure):
    _fields_ = [("session_name", ctypes.c_char_p), ("buffer_size_kb", ctypes.c_uint32),
                ("min_buffers", ctypes.c_uint32), ("max_buffers", ctypes.c_uint32),
                ("enable_process_events", ctypes.c_bool),
                ("enable_thread_events", ctypes.c_bool),
                ("enable_cpu_sampling", ctypes.c_bool),
                ("enable_memory_events", ctypes.c_bool),
                ("enable_disk_io", ctypes.c_bool), ("enable_context_switch", ctypes.c_bool),
                ("cpu_sampling_interval", ctypes.c_uint32),
                ("max_overhead_percent", _REAL), ("enable_stack_walking", ctypes.c_bool),
                ("target_processes", ctypes.POINTER(_U64)),
                ("target_process_count", ctypes.c_size_t),
                ("target_process_names", ctypes.POINTER(ctypes.c_char_p)),
                ("target_process_name_count", ctypes.c_size_t),
                ("exclude_system_processes", ctypes.c_bool),
                ("callback", _CALLBACK), ("context", ctypes.c_void_p)]


# ORTMETER_PROCESS_FIELDS: those that are no uint64_t have their type here.
_FIELDS = (
    "pid parent_pid session_id create_time_ns exit_time_ns exit_code cpu_percent cpu_cycles "
    "kernel_time_ms user_time_ms context_switches priority affinity_mask working_set_size "
    "private_bytes virtual_bytes page_faults hard_faults peak_working_set paged_pool "
    "non_paged_pool thread_count active_threads suspended_threads read_operations "
    "write_operations other_operations read_bytes write_bytes io_priority handle_count "
    "gdi_objects user_objects peak_handle_count").split()
_TYPES: Dict[str, Any] = {"exit_code": _INT, "priority": _INT, "io_priority": _INT,
                          "cpu_percent": _REAL, "kernel_time_ms": _REAL,
                          "user_time_ms": _REAL}
_STATES = ("running", "sleeping", "blocked", "other")


class _States(ctypes.Structure):
    _fields_ = [("known", ctypes.c_bool)] + [(name, _U64) for name in _STATES]


class _Process(ctypes.Structure):
    _fields_ = ([("has", _U64)] + [(name, _TYPES.get(name, _U64)) for name in _FIELDS]
                + [("name", ctypes.c_char * 64), ("command_line", ctypes.c_char * 1024),
                   ("thread_states", _States)])


class _Thread(ctypes.Structure):
    _fields_ = [("tid", _U64), ("cpu_known", ctypes.c_bool), ("cpu_s", _REAL)]


_SPREAD = ("min", "max", "mean", "stddev", "p50", "p90", "p95", "p99")


class _Statistics(ctypes.Structure):
    _fields_ = ([("count", _U64)] + [(name, _REAL) for name in _SPREAD]
                + [("of_seconds", ctypes.c_bool)])


def _open() -> Any:
    path = library("libortmeter-monitor.so")
    if path is None:
        raise ETWError("there is no libortmeter-monitor.so beside the program ortmeter")
    lib = ctypes.CDLL(path)
    lib.ortmeter_monitor_defaults.restype = _Config
    lib.ortmeter_monitor_reason.restype = ctypes.c_char_p
    lib.ortmeter_monitor_why_absent.restype = ctypes.c_char_p
    return lib


# --- what people use ------------------------------------------------------------


@dataclass
class MonitorConfig:
    """How often to read, and how many samples are to be remembered."""

    sampling_rate_hz: float = 100.0
    buffer_size: int = 10000


@dataclass
class ETWMonitorConfig(MonitorConfig):
    """Which processes, and what of them.  None named: this process."""

    session_name: str = "OnnxInferenceMonitor"
    buffer_size_kb: int = 64
    min_buffers: int = 4
    max_buffers: int = 64

    enable_process_events: bool = True
    enable_thread_events: bool = True
    enable_cpu_sampling: bool = True
    enable_memory_events: bool = True
    enable_disk_io: bool = False
    enable_context_switch: bool = True

    cpu_sampling_interval: Optional[int] = None  # a second; given, it is the rate
    max_overhead_percent: float = 0  # of a core; 0: no limit
    enable_stack_walking: bool = False

    target_processes: Optional[Set[int]] = None
    target_process_names: Optional[Set[str]] = None  # parts of names, or globs
    exclude_system_processes: bool = True


@dataclass
class MetricSample:
    """One figure; `metric` and `unit` as in docs/metrics.md."""

    timestamp_ns: int
    kind: str
    name: Optional[str]
    number: int
    metric: str
    unit: str
    value: float


class ProcessMetrics:
    """A process as it was read last.  What is not known is None, and why() says
    why."""

    def __init__(self, known: Dict[str, Any], why: Callable[[str], Optional[str]]) -> None:
        self._known = known
        self._why = why

    def __getattr__(self, name: str) -> Any:
        if name in self._known:
            return self._known[name]
        if name in _FIELDS or name in ("thread_states", "thread_ids", "command_line"):
            return None
        raise AttributeError("a process has no %r" % name)

    def why(self, name: str) -> Optional[str]:
        """Why a figure is absent, in a sentence; None: it is not, or nobody knows."""
        return None if name in self._known else self._why(name)

    def as_dict(self) -> Dict[str, Any]:
        return dict(self._known)

    def __repr__(self) -> str:
        return "ProcessMetrics(%r)" % self._known


def _text(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode("utf-8", "replace")


def _own_name() -> str:
    with open("/proc/self/comm", encoding="utf-8", errors="replace") as f:
        return f.read().rstrip("\n")


def _sample(s: _Sample) -> MetricSample:
    return MetricSample(s.timestamp_ns, _text(s.kind) or "", _text(s.name), s.number,
                        _text(s.metric) or "", _text(s.unit) or "", s.value)


class ETWMonitor:
    """Reads from start_monitoring() to stop_monitoring(); what was read stays."""

    def __init__(self, config: Optional[ETWMonitorConfig] = None) -> None:
        self.config = config or ETWMonitorConfig()
        self._lib = _open()
        self._callbacks: List[Callable[[List[MetricSample]], Any]] = []
        self._error: Optional[BaseException] = None
        self._seconds = 0.0
        self._started_s = 0.0
        self._kept: List[Any] = []  # what the library has pointers to
        self._monitor = ctypes.c_void_p()
        self._check(self._lib.ortmeter_monitor_new(ctypes.byref(self._monitor),
                                                   ctypes.byref(self._settings())))

    def _settings(self) -> _Config:
        c, out = self.config, self._lib.ortmeter_monitor_defaults()
        for name in ("min_buffers", "max_buffers", "buffer_size_kb", "enable_process_events",
                     "enable_thread_events", "enable_cpu_sampling", "enable_memory_events",
                     "enable_disk_io", "enable_context_switch", "enable_stack_walking",
                     "exclude_system_processes", "max_overhead_percent"):
            setattr(out, name, getattr(c, name))
        out.session_name = c.session_name.encode()
        out.cpu_sampling_interval = max(0, c.cpu_sampling_interval or round(c.sampling_rate_hz))
        # A sample is 64 bytes in the history, at most.
        least = c.buffer_size * 64 // (1024 * max(1, c.buffer_size_kb))
        out.max_buffers = max(c.max_buffers, least)
        names = [n if set(n) & set("*?[") else "*%s*" % n
                 for n in sorted(c.target_process_names or ())]
        pids = sorted(c.target_processes or ())
        # The library looks at others, unless it is told the very number.
        if not (pids or names) or any(fnmatchcase(_own_name(), n) for n in names):
            pids.append(os.getpid())
        globs = [n.encode() for n in names]
        out.target_processes = (_U64 * len(pids))(*pids)
        out.target_process_count = len(pids)
        out.target_process_names = (ctypes.c_char_p * len(globs))(*globs)
        out.target_process_name_count = len(globs)
        out.callback = _CALLBACK(self._called)
        self._kept += [out, globs]
        return out  # type: ignore[no-any-return]

    def _check(self, result: int) -> None:
        if result:
            reason = _text(self._lib.ortmeter_monitor_reason(self._monitor)) or "it failed"
            raise _ERRORS.get(result, ETWError)(reason)

    def _called(self, _context: Any, samples: Any, count: int) -> None:
        if not self._callbacks or self._error is not None:
            return
        try:
            told = [_sample(samples[i]) for i in range(count)]
            for callback in self._callbacks:
                callback(told)
        except BaseException as e:  # of another thread: stop_monitoring() raises it
            self._error = e

    def __del__(self) -> None:
        monitor, self._monitor = getattr(self, "_monitor", None), ctypes.c_void_p()
        if monitor:
            self._lib.ortmeter_monitor_free(monitor)

    def add_callback(self, callback: Callable[[List[MetricSample]], Any]) -> None:
        """It is called with what is new, after every tick, in a thread of the
        monitor's.  An exception in it ends the calls, and comes out of
        stop_monitoring()."""
        self._callbacks.append(callback)

    def start_monitoring(self) -> None:
        """Returns when everything was read once."""
        self._check(self._lib.ortmeter_monitor_start(self._monitor))
        self._started_s = time.monotonic()

    def stop_monitoring(self) -> None:
        self._check(self._lib.ortmeter_monitor_stop(self._monitor))
        self._seconds = time.monotonic() - self._started_s
        error, self._error = self._error, None
        if error is not None:
            raise error

    def __enter__(self) -> "ETWMonitor":
        self.start_monitoring()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop_monitoring()

    def set_kernel_flags(self, flags: Sequence[str]) -> None:
        """Which events to capture, before it is started."""
        names = (ctypes.c_char_p * (len(flags) + 1))(*[f.encode() for f in flags], None)
        self._check(self._lib.ortmeter_monitor_set_kernel_flags(self._monitor, names))

    def enable_stack_walking(self, enable: bool) -> None:
        self._check(self._lib.ortmeter_monitor_enable_stack_walking(self._monitor,
                                                                    ctypes.c_bool(enable)))

    def collect_metrics(self) -> List[MetricSample]:
        """The newest of each figure."""
        room, count = 4096, ctypes.c_size_t()
        while True:
            samples = (_Sample * room)()
            self._check(self._lib.ortmeter_monitor_collect(
                self._monitor, samples, ctypes.c_size_t(room), ctypes.byref(count)))
            if count.value <= room:
                return [_sample(s) for s in samples[:count.value]]
            room = count.value + 256

    def get_process_metrics(self, pid: int) -> ProcessMetrics:
        p = _Process()
        self._check(self._lib.ortmeter_monitor_get_process(self._monitor, _U64(pid),
                                                           ctypes.byref(p)))
        known = {name: getattr(p, name) for i, name in enumerate(_FIELDS) if p.has >> i & 1}
        known["name"] = _text(p.name)
        if p.command_line:
            known["command_line"] = _text(p.command_line)
        if p.thread_states.known:
            known["thread_states"] = {s: getattr(p.thread_states, s) for s in _STATES}
        if self.config.enable_thread_events:
            known["thread_ids"] = self._thread_ids(pid)
        return ProcessMetrics(known, self._why_absent)

    def _thread_ids(self, pid: int) -> List[int]:
        threads, count = (_Thread * 4096)(), ctypes.c_size_t()
        self._check(self._lib.ortmeter_monitor_get_threads(
            self._monitor, _U64(pid), threads, ctypes.c_size_t(len(threads)),
            ctypes.byref(count)))
        return [t.tid for t in threads[:min(count.value, len(threads))]]

    def _why_absent(self, name: str) -> Optional[str]:
        if name not in _FIELDS:
            return None
        return _text(self._lib.ortmeter_monitor_why_absent(self._monitor, _FIELDS.index(name)))

    def _statistics(self, pid: int, metric: str) -> Optional[Dict[str, Any]]:
        """Nothing, where there is none of that figure."""
        s = _Statistics()
        if self._lib.ortmeter_monitor_statistics(self._monitor, _U64(pid), metric.encode(),
                                                 ctypes.byref(s)) or not s.count:
            return None
        spread = {name: getattr(s, name) for name in _SPREAD}
        return {"count": s.count, **spread, "of_seconds": s.of_seconds}

    def _processes(self) -> Dict[int, Optional[str]]:
        return {s.number: s.name for s in self.collect_metrics() if s.kind == "process"}

    def get_statistics(self) -> Dict[str, Any]:
        """How each figure spread since the start, of the machine and of each
        process by its pid; and how often it was really read."""
        samples = self.collect_metrics()
        of: Dict[int, Dict[str, Any]] = {}
        for s in samples:
            if s.kind in ("process", "host"):
                pid = s.number if s.kind == "process" else 0
                got = self._statistics(pid, s.metric)
                if got:
                    of.setdefault(pid, {})[s.metric] = got
        seconds = self._seconds or time.monotonic() - self._started_s
        most = max((x["count"] for m in of.values() for x in m.values()), default=0)
        return {"sampling_rate_hz": self.config.sampling_rate_hz, "duration_s": seconds,
                "effective_rate_hz": most / seconds if seconds else 0.0,
                "host": of.pop(0, {}), "processes": of}

    def get_process_summary(self) -> Dict[int, Dict[str, Any]]:
        """Of each process by its pid: its name, CPU and memory."""
        out = {}
        for pid, name in self._processes().items():
            row: Dict[str, Any] = {"pid": pid, "name": name}
            cpu = self._statistics(pid, "process_cpu_cores")
            memory = self._statistics(pid, "process_resident_bytes")
            if cpu:
                row["cpu_percent"] = {k: 100 * cpu[k] for k in _SPREAD}
                row["samples"] = cpu["count"]
            if memory:
                row["memory_mb"] = {k: memory[k] / 1e6 for k in _SPREAD}
            out[pid] = row
        return out
