"""The pytest plugin, through pytester: each test runs a pytest of its own."""
import json
import os
import subprocess
import uuid
from importlib.util import find_spec

import ortmeter
import pytest
from ortmeter._native import program

USE = """
import os
import numpy as np
import pytest
ort = pytest.importorskip("onnxruntime")

@pytest.fixture(scope="session")
def session():
    return ort.InferenceSession(os.environ["MODEL"], providers=["CPUExecutionProvider"])

def infer(session, n):
    for _ in range(n):
        session.run(None, {"x": np.ones((3, 64), np.float32)})
"""


@pytest.fixture
def run_pytest(pytester, monkeypatch):
    """With the plugin, whether the package is installed or not."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def run(text, *words):
        pytester.makepyfile(text)
        return pytester.runpytest_subprocess("-p", "ortmeter.pytest_plugin",
                                             "-p", "no:cacheprovider", *words)
    return run


needs_onnxruntime = pytest.mark.skipif(
    find_spec("onnxruntime") is None,
    reason="there is no onnxruntime")


@needs_onnxruntime
def test_fixture(run_pytest):
    result = run_pytest(USE + """
def test_it(ortmeter, session):
    infer(session, 12)
    assert ortmeter.latency.count == 12
    assert 0 < ortmeter.latency.p50_us <= ortmeter.latency.p95_us
    assert ortmeter.memory.rss_max_bytes > 1e6
    assert {o["count"] for o in ortmeter.ops} == {12}
    assert "p95_us" in ortmeter.latency and "ttft_ms" not in ortmeter.tokens
    with pytest.raises(AttributeError, match="no latency.p42_us of this test: it has count"):
        ortmeter.latency.p42_us
""", "--ortmeter-ops", "all")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*ortmeter: inferences of 1 test*",
                                 "test *count*median us*p95 us*", "*::test_it * 12 *"])


@needs_onnxruntime
def test_limits(run_pytest):
    result = run_pytest(USE + """
@pytest.mark.ortmeter(max_p95_ms=60000, max_rss_mb=60000, max_failed=0)
def test_within(session):
    infer(session, 11)

@pytest.mark.ortmeter(max_p95_ms=0.000001)
def test_over(session):
    infer(session, 11)

@pytest.mark.ortmeter(max_p95_ms=60000)
class TestClass:
    @pytest.mark.ortmeter(max_rss_mb=1)
    def test_memory(self, session, ortmeter):
        infer(session, 12)

    def test_raises(self, session):
        infer(session, 13)
        raise KeyError("its own")
""")
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(["*ortmeter: max_p95_ms is 1e-06, and it was *.* ms*",
                                 "*ortmeter: max_rss_mb is 1, and it was *.* MB*",
                                 "*KeyError: 'its own'*", "*inferences of 4 tests*"])


def test_without_onnxruntime(run_pytest):
    result = run_pytest("""
import pytest

def test_nothing(ortmeter):
    with pytest.raises(AttributeError, match="nothing of it was seen"):
        ortmeter.latency.p95_us
    assert ortmeter.ops == []

@pytest.mark.ortmeter(max_p95_ms=5)
def test_cannot_tell():
    pass

def test_plain():
    pass
""")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*max_p95_ms cannot be judged: no p95_us was measured*"])


def test_unknown_limit(run_pytest):
    result = run_pytest("""
import pytest

@pytest.mark.ortmeter(max_p95_s=5)
def test_it():
    pass
""")
    assert result.ret != 0
    result.stderr.fnmatch_lines(["*there is no limit max_p95_s; there are max_mean_ms*"])


@needs_onnxruntime
def test_saved(run_pytest, pytester):
    result = run_pytest(USE + """
@pytest.mark.parametrize("n", [3, 4])
def test_it(session, ortmeter, n):
    infer(session, n)
""", "--ortmeter-save", "kept.db", "--ortmeter-json", "figures.json")
    result.assert_outcomes(passed=2)
    told = json.loads((pytester.path / "figures.json").read_text())
    assert [t["latency"]["count"] for t in told["tests"]] == [3, 4]
    db = ortmeter.open(pytester.path / "kept.db")
    assert [row["inferences"] for row in db.list(tag="pytest")] == [4, 3]
    assert db.run(told["tests"][0]["test"]).id == told["tests"][0]["run"]


TEST = "test_compared.py::test_it"
COMPARED = USE + """
@pytest.mark.ortmeter(max_regression="900%", baseline="main")
def test_it(session):
    infer(session, 300)
"""


@pytest.fixture
def run_compared(pytester, monkeypatch):
    """The test of COMPARED, in a database of its own."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def run(*words):
        pytester.makepyfile(test_compared=COMPARED)
        return pytester.runpytest_subprocess(
            "-p", "ortmeter.pytest_plugin", "-p", "no:cacheprovider", "-rs",
            "--rootdir", str(pytester.path),
            "--ortmeter-save", "kept.db", "--ortmeter-ops", "off", *words)
    return run


@pytest.fixture
def copies(pytester):
    """Makes runs of one that was recorded, with other times and another tag: so what a
    comparison has to find does not depend on how busy the machine is."""
    def make(count, factor, tag):
        db = str(pytester.path / "kept.db")
        text = subprocess.run([program(), "export", "-f", "json", "--db", db, "--quiet", TEST],
                              stdout=subprocess.PIPE, check=True).stdout
        for i in range(count):
            whole = json.loads(text)
            whole["run"]["run_id"] = str(uuid.uuid4())
            whole["run"]["tags"] = ",".join(["pytest", TEST, tag])
            for inference in whole["inferences"]:
                inference["duration_ns"] = int(inference["duration_ns"] * factor) + i
            path = pytester.path / "copy.json"
            path.write_text(json.dumps(whole))
            subprocess.run([program(), "import", "--db", db, str(path)],
                           stdout=subprocess.DEVNULL, check=True)
    return make


@needs_onnxruntime
def test_compared(run_compared, copies, pytester):
    result = run_compared()  # nothing to compare with
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*cannot tell, compared with main; there are no runs of this "
                                 "test in main*"])
    copies(7, 0.01, "base")
    result = run_compared("--ortmeter-undecided", "fail", "--ortmeter-tag", "few")
    result.assert_outcomes(failed=1)
    subprocess.run([program(), "baseline", "set", "main", "base", "--db",
                    str(pytester.path / "kept.db")], check=True)
    result = run_compared("--ortmeter-tag", "few")  # one run of ours
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*cannot tell, compared with main*too few runs*what helps: *"])
    run_compared("--ortmeter-undecided", "pass").assert_outcomes(passed=1)

    # Seven more of ours, all a hundred times as slow as those: found.
    copies(7, 1, "slow")
    result = run_compared("--ortmeter-tag", "slow", "--ortmeter-json", "figures.json")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*ortmeter: worse, compared with main: +* % [[]+*"])
    told = json.loads((pytester.path / "figures.json").read_text())["tests"][0]["verdict"]
    assert told["verdict"] == "worse" and told["change"] > 9
    assert told["runs"] == [7, 8]


@needs_onnxruntime
def test_compare_options(run_pytest, pytester):
    text = USE + """
def test_it(session, ortmeter):
    infer(session, 300)
"""
    result = run_pytest(text, "--ortmeter-save", "kept.db", "--ortmeter-tag", "old")
    result.assert_outcomes(passed=1)
    assert "compared with" not in result.stdout.str()
    # Compared, and told; without a limit nothing becomes of it.
    result = run_pytest(text, "--ortmeter-save", "kept.db", "--ortmeter-compare=old")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*::test_it: cannot tell, compared with old*too few runs*"])
    result = run_pytest(text, "--ortmeter-save", "kept.db", "--ortmeter-compare=old",
                        "--ortmeter-compare-fail=5%", "--ortmeter-undecided=fail")
    result.assert_outcomes(failed=1)
    result = run_pytest(text, "--ortmeter-compare-fail=5%")  # whose runs are not kept
    result.assert_outcomes(skipped=1)
    result = run_pytest(text, "--ortmeter-compare-fail=much")
    assert result.ret != 0
    result.stderr.fnmatch_lines(["*--ortmeter-compare-fail takes a share in percent*'much'*"])
    result = run_pytest(text.replace("def test_it", "@pytest.mark.ortmeter(max_regression=5)\n"
                                     "def test_it"))
    result.stderr.fnmatch_lines(["*max_regression takes a share in percent, such as '5%', and "
                                 "not 5*"])


@needs_onnxruntime
def test_parallel(run_pytest, pytester):
    pytest.importorskip("xdist")
    result = run_pytest(USE + """
@pytest.mark.parametrize("n", range(1, 9))
def test_it(session, ortmeter, n):
    infer(session, n)
    assert ortmeter.latency.count == n
""", "-n", "2", "--ortmeter-save", "kept.db", "--ortmeter-json", "figures.json")
    result.assert_outcomes(passed=8)
    result.stdout.fnmatch_lines(["*inferences of 8 tests*"])
    told = json.loads((pytester.path / "figures.json").read_text())
    assert sorted(t["latency"]["count"] for t in told["tests"]) == list(range(1, 9))
    assert len(ortmeter.open(pytester.path / "kept.db").list()) == 8


def test_nothing_is_left(run_pytest, pytester):
    before = set(os.listdir(os.environ.get("TMPDIR", "/tmp")))
    run_pytest("def test_it(ortmeter): pass").assert_outcomes(passed=1)
    left = set(os.listdir(os.environ.get("TMPDIR", "/tmp"))) - before
    assert not [name for name in left if name.startswith("pytest-ortmeter")]
