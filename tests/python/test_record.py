"""Recording oneself, and reading what was recorded."""
import json
import resource
import shutil
import sqlite3
import subprocess
import sys

import ortmeter
import pytest
from ortmeter import _native, _record, monitor


def test_late_take_over(database, session, feed):
    """onnxruntime, the session and even its method were there before."""
    method = session._sess.run
    names = [o.name for o in session.get_outputs()]
    expected = session.run(None, feed)[0]
    with ortmeter.record(database, ops="all") as run:
        for _ in range(7):
            assert (session.run(None, feed)[0] == expected).all()
        method(names, feed, None)
    session.run(None, feed)
    report = run.report()
    assert report["latency"]["count"] == 8 and report["lost_events"] == 0
    (only,) = report["sessions"]
    assert only["made_before_meter"] and "load_ms" not in only
    assert only["model"] == "mlp" and only["providers"] == ["CPUExecutionProvider"]
    assert report["run"]["ort"]["language"] == "Python"
    assert {o["count"] for o in run.operators} == {8}
    assert "note" not in report["run"]


def test_again_and_again(database, session, feed, model):
    """Each run has all of it: library, session, operators, texts."""
    import onnxruntime as ort
    for i in range(1, 31):
        with ortmeter.record(database, ops="all", rate=0) as run:
            for _ in range(i):
                session.run(None, feed)
            if i % 10 == 0:
                ort.InferenceSession(model).run(None, feed)
            monitor.mark("the same")
        if i % 10:
            continue
        report = run.report()
        assert report["latency"]["count"] == i + 1
        assert [s["model"] for s in report["sessions"]] == ["mlp", "mlp"]
        assert report["run"]["ort"]["language"] == "Python"
        # Sessions of one model share a table of operators.
        assert {o["count"] for o in run.operators} == {i + 1}
        assert [m["text"] for m in run.marks] == ["the same"]
    assert len(list(ortmeter.open(database))) == 30


def test_imported_later(script, model, database):
    pytest.importorskip("onnxruntime")
    out = script("""
import sys, ortmeter
with ortmeter.record(sys.argv[2]) as run:
    import numpy as np, onnxruntime as ort
    s = ort.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
    for _ in range(5):
        s.run(None, {"x": np.ones((3, 64), np.float32)})
r = run.report()
print(r["latency"]["count"], "load_ms" in r["sessions"][0])
""", model, str(database))
    assert out == "5 True\n"


def test_a_crash_loses_nothing(script, model, database):
    pytest.importorskip("onnxruntime")
    script("""
import os, signal, sys, ortmeter
import numpy as np, onnxruntime as ort
s = ort.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
recording = ortmeter.record(sys.argv[2])
recording.start()
for _ in range(1009):
    s.run(None, {"x": np.ones((3, 64), np.float32)})
open("collector", "w").write(str(recording._collector.pid))
os.kill(os.getpid(), signal.SIGKILL)
""", model, str(database), code=-9)
    pid = int((database.parent / "collector").read_text())
    while is_running(pid):  # it ends when it has kept all
        pass
    run = ortmeter.open(database).run("last")
    assert run.report()["latency"]["count"] == 1009
    assert run.report()["lost_events"] == 0


def is_running(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_children_by_fork(script, model, database):
    pytest.importorskip("onnxruntime")
    out = script("""
import multiprocessing, sys, ortmeter
import numpy as np, onnxruntime as ort
def work(n):
    s = ort.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
    for _ in range(n):
        s.run(None, {"x": np.ones((3, 64), np.float32)})
fork = multiprocessing.get_context("fork")
with ortmeter.record(sys.argv[2]) as run:
    work(3)
    children = [fork.Process(target=work, args=(n,)) for n in (4, 5)]
    for c in children: c.start()
    for c in children: c.join()
r = run.report()
print(r["latency"]["count"], len(r["run"]["processes"]))
""", model, str(database))
    assert out == "12 3\n"


def test_one_at_a_time(database):
    with ortmeter.record(database):
        with pytest.raises(ortmeter.OrtmeterError, match="recorded already"):
            ortmeter.record(database).start()
    assert not monitor.listening()


def test_exceptions_pass(database):
    with pytest.raises(KeyError):
        with ortmeter.record(database) as run:
            raise KeyError("x")
    assert run.report()["run"]["status"] == "complete"


def test_refusals(tmp_path):
    with pytest.raises(ortmeter.OrtmeterError, match="--ops takes off, auto, all"):
        ortmeter.record(tmp_path / "x.db", ops="some").start()
    with pytest.raises(ortmeter.OrtmeterError, match="nowhere"):
        ortmeter.record(tmp_path / "nowhere" / "x.db").start()
    with pytest.raises(FileNotFoundError, match="no database"):
        ortmeter.open(tmp_path / "none.db")
    (tmp_path / "junk.db").write_text("junk" * 100)
    with pytest.raises(ortmeter.OrtmeterError, match="junk.db"):
        ortmeter.open(tmp_path / "junk.db").list()
    assert not monitor.listening()


def test_no_room_for_a_ring(database, session, feed, monkeypatch):
    """That is said as it is, and the next recording has nothing of it."""
    listen = _record.native.listen

    def within_a_limit(folder):
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (16384, hard))
        try:
            return listen(folder)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    monkeypatch.setattr(_record.native, "listen", within_a_limit)
    with pytest.raises(ortmeter.OrtmeterError, match="shared with the collector: File too large"):
        ortmeter.record(database).start()
    assert not monitor.listening()
    monkeypatch.undo()
    with ortmeter.record(database) as run:
        session.run(None, feed)
    assert run.report()["latency"]["count"] == 1


def test_two_copies_of_the_library(script, tmp_path, database):
    copy = tmp_path / "copy.so"
    shutil.copy(_native.library("libortmeter.so"), str(copy))
    out = script("""
import sys, ortmeter
try:
    ortmeter.record(sys.argv[1]).start()
except ortmeter.OrtmeterError as e:
    print(e)
""", str(database), before=["env", "LD_PRELOAD=%s" % copy])
    assert out == "another copy of libortmeter.so is in this process\n"


def test_reading(database, session, feed):
    np = pytest.importorskip("numpy")
    runs = []
    for n in (20, 30):
        with ortmeter.record(database, tags=["t%d" % n]) as run:
            for _ in range(n):
                session.run(None, feed)
        runs.append(run)
    db = ortmeter.open(database)
    assert [r.id for r in db] == [runs[1].id, runs[0].id]
    assert db.run("t20").id == runs[0].id and db.run("last~1").id == runs[0].id
    assert [row["inferences"] for row in db.list(tag="t30")] == [30]

    # As SQLite itself has it.
    rows = sqlite3.connect(str(database)).execute(
        "SELECT i.duration_ns FROM inferences i JOIN profiling_runs r ON i.run = r.id "
        "WHERE run_id = ?",
        (runs[0].id,)).fetchall()
    columns = runs[0].columns("inferences")
    taken = np.asarray(columns["duration_ns"])
    assert sorted(taken) == sorted(r[0] for r in rows) and len(rows) == 20
    assert taken.dtype == np.int64
    columns["duration_ns"][0] = 42  # no copy
    assert taken[0] == 42
    assert set(columns["phase"]) == {"other"}
    assert {r["metric"] for r in runs[0].readings} >= {"process_resident_bytes"}

    assert "20 inferences" in runs[0].text()
    page = runs[0]._repr_html_()
    assert "<svg" in page and "20, 0 failed" in page and "<script" not in page
    compared = ortmeter.compare(runs[0], runs[1])
    assert (compared["before"], compared["after"]) == (runs[0].id, runs[1].id)
    assert compared["schema_version"] == 1
    other = ortmeter.Run(ortmeter.Database("/elsewhere.db"), "x")
    with pytest.raises(ortmeter.OrtmeterError, match="two databases"):
        ortmeter.compare(runs[0], other)


def test_python_m_ortmeter(script, database, model):
    pytest.importorskip("onnxruntime")
    out = script("""
import sys, numpy as np, onnxruntime as ort
from ortmeter import monitor
s = ort.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
with monitor.section("pre", "under run"):
    s.run(None, {"x": np.ones((3, 64), np.float32)})
print(monitor.listening())
""", model)
    assert out == "False\n"
    path = str(database.parent / "script.py")
    for words in (["run", path, model],
                  ["run", "--db", str(database), "--quiet", "--", path, model]):
        done = subprocess.run([sys.executable, "-m", "ortmeter", *words],
                              stdout=subprocess.PIPE, universal_newlines=True, check=True)
        assert done.stdout == "True\n"
    run = ortmeter.open(database).run()
    assert [s["section_name"] for s in run.sections] == ["under run"]
    assert run.report()["latency"]["count"] == 1
    version = subprocess.run([sys.executable, "-m", "ortmeter", "--version"],
                             stdout=subprocess.PIPE, universal_newlines=True)
    assert version.stdout.split() == ["ortmeter", ortmeter.__version__]


def test_import_is_quick_and_plain(script):
    out = script("""
import json, sys, time
before = set(sys.modules)
start = time.perf_counter()
import ortmeter
took = time.perf_counter() - start
print(json.dumps([1e3 * took, sorted(m for m in set(sys.modules) - before if "." not in m)]))
""")
    took_ms, modules = json.loads(out)
    print("import ortmeter: %.1f ms" % took_ms)
    assert not {"numpy", "onnxruntime", "ctypes", "subprocess", "asyncio"} & set(modules)
