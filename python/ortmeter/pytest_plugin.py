"""A plugin for pytest: records the inferences of a test, and holds it to limits.

    def test_detector(ortmeter):
        session.run(None, inputs)
        assert ortmeter.latency.p95_us < 5000

    @pytest.mark.ortmeter(max_p95_ms=5, max_rss_mb=300)
    def test_classifier():
        ...
"""

import json
import os
import shutil
import tempfile
from typing import Any, Dict, Generator, List, Optional, Tuple

import pytest

from ._record import Recording, record
from ._runs import Run

_NAME = "ortmeter"
_STATE = "ortmeter-state"

# Of a limit: where the figure is in a report, what it is divided by, its unit.
_LIMITS: Dict[str, Tuple[str, str, float, str]] = {
    "max_mean_ms": ("latency", "mean_us", 1e3, "ms"),
    "max_p50_ms": ("latency", "p50_us", 1e3, "ms"),
    "max_p90_ms": ("latency", "p90_us", 1e3, "ms"),
    "max_p95_ms": ("latency", "p95_us", 1e3, "ms"),
    "max_p99_ms": ("latency", "p99_us", 1e3, "ms"),
    "max_failed": ("latency", "failed", 1, "inferences"),
    "max_rss_mb": ("memory", "rss_max_bytes", 1e6, "MB"),
    "max_ttft_ms": ("tokens", "ttft_ms", 1, "ms"),
    "max_tpot_ms": ("tokens", "tpot_ms", 1, "ms"),
}

# Of the table at the end: its head, and where the figure is.
_COLUMNS = (("count", "latency", "count", 1.0, "%d"),
            ("median us", "latency", "median_us", 1.0, "%.1f"),
            ("p95 us", "latency", "p95_us", 1.0, "%.1f"),
            ("p99 us", "latency", "p99_us", 1.0, "%.1f"),
            ("MB", "memory", "rss_max_bytes", 1e6, "%.1f"))


def _part(report: Dict[str, Any], part: str) -> Dict[str, Any]:
    """One of a report's parts; without inferences there are no figures in it."""
    figures: Dict[str, Any] = report.get(part, {})
    return figures if figures.get("count", 1) else {}


class Figures:
    """A part of a report; what was not measured is an AttributeError that says
    so."""

    def __init__(self, part: str, figures: Dict[str, Any]) -> None:
        self._part = part
        self._figures = figures

    def __getattr__(self, name: str) -> Any:
        try:
            return self._figures[name]
        except KeyError:
            why = ("it has " + ", ".join(self._figures) if self._figures
                   else "nothing of it was seen")
            raise AttributeError("there is no %s.%s of this test: %s"
                                 % (self._part, name, why)) from None

    def __contains__(self, name: str) -> bool:
        return name in self._figures

    def __repr__(self) -> str:
        return "<%s %r>" % (self._part, self._figures)


class Recorded:
    """The fixture `ortmeter`.  It records until the first figure is asked for, or
    the test ends."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._report: Optional[Dict[str, Any]] = None
        self.run: Run = recording.start()

    def finish(self) -> Dict[str, Any]:
        """Ends the recording; its report."""
        if self._report is None:
            self._recording.stop()
            self._report = self.run.report()
        return self._report

    @property
    def latency(self) -> Figures:
        return Figures("latency", _part(self.finish(), "latency"))

    @property
    def memory(self) -> Figures:
        return Figures("memory", _part(self.finish(), "memory"))

    @property
    def tokens(self) -> Figures:
        return Figures("tokens", _part(self.finish(), "tokens"))

    @property
    def ops(self) -> List[Dict[str, Any]]:
        """The operators with their times, the most expensive first."""
        ops: List[Dict[str, Any]] = self.finish().get("ops", [])
        return ops


class State:
    """Of one pytest: where runs go, and what the tests showed."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.folder: Optional[str] = None
        self.seen: List[Dict[str, Any]] = []

    def _path(self, option: str) -> Optional[str]:
        given = self.config.getoption(option)
        return given and os.path.join(str(self.config.invocation_params.dir), given)

    def database(self) -> str:
        """A folder that goes with us, unless the runs are to be kept."""
        kept = self._path("--ortmeter-save")
        if kept:
            return kept
        if self.folder is None:
            self.folder = tempfile.mkdtemp(prefix="pytest-ortmeter-")
        return os.path.join(self.folder, "runs.db")

    def pytest_unconfigure(self) -> None:
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """In the process that tells the user, also of the workers of xdist."""
        if report.when == "call":
            self.seen += [json.loads(str(value)) for name, value in report.user_properties
                          if name == _NAME]

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        rows = sorted(self.seen, key=lambda row: str(row["test"]))
        path = self._path("--ortmeter-json")
        if path:
            with open(path, "w", encoding="utf-8") as out:
                json.dump({"schema_version": 1, "tests": rows}, out, indent=2)
        if rows:
            terminalreporter.section("ortmeter: inferences of %d test%s"
                                     % (len(rows), "" if len(rows) == 1 else "s"))
            for line in _table(rows):
                terminalreporter.write_line(line)


def _table(rows: List[Dict[str, Any]]) -> Generator[str, None, None]:
    width = max(len(str(row["test"])) for row in rows)
    yield "%-*s" % (width, "test") + "".join(" %11s" % column[0] for column in _COLUMNS)
    for row in rows:
        cells = [row[part].get(key) for _, part, key, _, _ in _COLUMNS]
        yield "%-*s" % (width, row["test"]) + "".join(
            " %11s" % ("-" if cell is None else form % (cell / unit))
            for cell, (_, _, _, unit, form) in zip(cells, _COLUMNS))


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ortmeter")
    group.addoption("--ortmeter-save", metavar="DB",
                    help="keep the runs of the tests in this database")
    group.addoption("--ortmeter-json", metavar="FILE",
                    help="write the figures of the tests to this file")
    group.addoption("--ortmeter-ops", metavar="WHICH", default="auto",
                    help="trace the operators of: auto, all, off, or one inference in N")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "ortmeter(%s): records the test's inferences, and "
                            "fails it beyond these limits" % ", ".join(_LIMITS))
    config.pluginmanager.register(State(config), _STATE)


def _limits(item: pytest.Item) -> Dict[str, float]:
    """Those of the closest marker count."""
    limits: Dict[str, float] = {}
    for marker in reversed(list(item.iter_markers(_NAME))):
        limits.update(marker.kwargs)
    unknown = sorted(set(limits) - set(_LIMITS))
    if unknown:
        raise pytest.UsageError("%s: there is no limit %s; there are %s" % (
            item.nodeid, ", ".join(unknown), ", ".join(_LIMITS)))
    return limits


def pytest_collection_modifyitems(items: List[pytest.Item]) -> None:
    """A test with the marker has the fixture, whether it asks for it or not."""
    for item in items:
        names = getattr(item, "fixturenames", None)
        if names is not None and item.get_closest_marker(_NAME):
            _limits(item)
            if _NAME not in names:
                names.insert(0, _NAME)


@pytest.fixture
def ortmeter(request: pytest.FixtureRequest) -> Generator[Recorded, None, None]:
    """Records the inferences of this test: .latency, .memory, .tokens, .ops"""
    config = request.config
    state: Any = config.pluginmanager.get_plugin(_STATE)
    recorded = Recorded(record(state.database(), ops=config.getoption("--ortmeter-ops"),
                               tags=["pytest", request.node.nodeid.replace(",", " ")]))
    yield recorded
    recorded.finish()


def _beyond(limits: Dict[str, float], report: Dict[str, Any]) -> List[str]:
    """Each limit that is not kept, or cannot be judged, as a sentence."""
    told = []
    for name, limit in limits.items():
        part, key, unit, unit_name = _LIMITS[name]
        value = _part(report, part).get(key)
        if value is None:
            told.append("%s cannot be judged: no %s was measured" % (name, key))
        elif value / unit > limit:
            told.append("%s is %g, and it was %.3f %s" % (name, limit, value / unit, unit_name))
    return told


def _keep(item: pytest.Item, recorded: Recorded) -> None:
    """For the table: a report's properties come along from other processes."""
    report = recorded.finish()
    figures = {part: {key: value for key, value in _part(report, part).items()
                      if isinstance(value, (int, float))}
               for part in ("latency", "memory", "tokens")}
    item.user_properties.append((_NAME, json.dumps(
        {"test": item.nodeid, "run": recorded.run.id, **figures})))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    recorded = getattr(item, "funcargs", {}).get(_NAME)
    if not isinstance(recorded, Recorded):
        return (yield)
    try:
        result = yield
    finally:
        _keep(item, recorded)
    beyond = _beyond(_limits(item), recorded.finish())
    if beyond:
        pytest.fail("ortmeter: " + "; ".join(beyond), pytrace=False)
    return result
