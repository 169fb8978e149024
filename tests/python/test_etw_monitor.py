"""The process monitor of the documents, on libortmeter-monitor."""
import os
import re
import subprocess
import sys
import time

import pytest
from ortmeter import etw_monitor
from ortmeter.etw_monitor import (
    ETWError,
    ETWMonitor,
    ETWMonitorConfig,
    ETWProviderError,
    ETWSessionError,
)


def work():
    return sum(i * i for i in range(300000))


def test_example_of_the_report():
    """As it stands in the TEZ-165 report, but for the import."""
    # Configure monitor
    config = ETWMonitorConfig(
        sampling_rate_hz=100.0,
        target_process_names={"python", "onnxruntime"},
        buffer_size=10000
    )

    # Create and start monitor
    monitor = ETWMonitor(config)
    monitor.start_monitoring()

    # ... run workload ...
    work()

    # Stop and get statistics
    monitor.stop_monitoring()
    stats = monitor.get_statistics()
    summary = monitor.get_process_summary()

    own = summary[os.getpid()]
    assert "python" in own["name"]
    assert own["memory_mb"]["max"] > 1
    of_own = stats["processes"][os.getpid()]
    assert of_own["process_resident_bytes"]["count"] >= 2
    assert of_own["process_resident_bytes"]["min"] <= of_own["process_resident_bytes"]["p95"]
    assert stats["duration_s"] > 0 and stats["effective_rate_hz"] > 0
    assert "host_memory_bytes" in stats["host"]


def test_the_structs_are_the_headers():
    """What ctypes is told is what the C header says."""
    with open(os.path.join(os.environ["SRC"], "include", "ortmeter_monitor.h")) as f:
        header = f.read()
    fields = re.findall(r"X\((\w+), (\w+),", header)
    kinds = {"uint64_t": etw_monitor._U64, "int": etw_monitor._INT, "double": etw_monitor._REAL}
    assert [(name, kinds[kind]) for kind, name in fields if kind in kinds] == [
        (name, kind) for name, kind in etw_monitor._Process._fields_[1:-3]]
    config = header[header.index("struct ortmeter_monitor_config {"):]
    config = re.sub(r"/\*.*?\*/", "", config[:config.index("\n};")], flags=re.S)
    config = re.sub(r"void \(\*callback\)\([^)]*\)", "x callback", config)
    names = re.findall(r"(\w+)(?=[,;])", config)
    assert names == [name for name, _ in etw_monitor._Config._fields_]


def test_a_process_by_its_number():
    child = subprocess.Popen([sys.executable, "-c", "print('up', flush=True); input()"],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert child.stdout.readline() == b"up\n"  # before that it is hardly in memory
        with ETWMonitor(ETWMonitorConfig(target_processes={child.pid})) as monitor:
            p = monitor.get_process_metrics(child.pid)
            assert p.pid == child.pid and p.parent_pid == os.getpid()
            assert p.working_set_size > 1e6 and p.thread_count >= 1
            assert child.pid in p.thread_ids
            assert p.session_id is None and "Windows" in p.why("session_id")
            assert p.why("pid") is None
            assert p.as_dict()["name"] == p.name
            with pytest.raises(AttributeError, match="has no 'colour'"):
                _ = p.colour
            found = set()
            deadline = time.monotonic() + 60
            while not found and time.monotonic() < deadline:  # its first reading
                found = {s.number for s in monitor.collect_metrics() if s.kind == "process"}
            assert found == {child.pid}
    finally:
        child.communicate(b"\n")


def test_callbacks():
    told = []
    monitor = ETWMonitor(ETWMonitorConfig(sampling_rate_hz=200))
    monitor.add_callback(told.extend)
    monitor.start_monitoring()
    while not any(s.metric == "process_resident_bytes" for s in told):
        work()
    monitor.stop_monitoring()
    assert {s.number for s in told if s.kind == "process"} == {os.getpid()}


def test_an_error_in_a_callback_is_told():
    called = []

    def fails(samples):
        called.append(1)
        raise KeyError("in the callback")

    monitor = ETWMonitor()
    monitor.add_callback(fails)
    monitor.start_monitoring()
    while not called:
        work()
    with pytest.raises(KeyError, match="in the callback"):
        monitor.stop_monitoring()
    assert len(called) == 1


def test_errors():
    monitor = ETWMonitor()
    with pytest.raises(ETWSessionError, match="not started"):
        monitor.stop_monitoring()
    with pytest.raises(ETWProviderError, match="_IMAGE_LOAD"):
        monitor.set_kernel_flags(["EVENT_TRACE_FLAG_PROCESS", "EVENT_TRACE_FLAG_IMAGE_LOAD"])
    with pytest.raises(ETWProviderError, match="stacks"):
        monitor.enable_stack_walking(True)
    monitor.enable_stack_walking(False)
    monitor.set_kernel_flags(["EVENT_TRACE_FLAG_PROCESS", "EVENT_TRACE_FLAG_MEMORY_PAGE"])
    monitor.start_monitoring()
    with pytest.raises(ETWSessionError, match="started already"):
        monitor.start_monitoring()
    with pytest.raises(ETWError, match="no process 4194305"):
        monitor.get_process_metrics(4194305)
    monitor.stop_monitoring()
    with pytest.raises(ETWError, match="1 to 10000"):
        ETWMonitor(ETWMonitorConfig(cpu_sampling_interval=20000))
