"""A plugin for pytest: records the inferences of a test, and holds it to limits.

    def test_detector(ortmeter):
        session.run(None, inputs)
        assert ortmeter.latency.median_us < 5000

    @pytest.mark.ortmeter(max_mean_ms=5, max_rss_mb=300)
    def test_classifier():
        ...

    @pytest.mark.ortmeter(max_regression="5%", baseline="main")
    def test_tokenizer():
        ...
"""

import json
import os
import re
import shutil
import tempfile
from typing import Any, Dict, Generator, List, Optional, Tuple

import pytest

from ._record import Recording, record
from ._runs import Database, OrtmeterError, Run, compare

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

# What a test is compared with: the smallest change that matters, and a baseline or a
# tag, of which the runs of the same test count.
_COMPARING = ("max_regression", "baseline")
_BASELINE = "main"
_PERCENT = re.compile(r"\d+(\.\d+)?\s*%")

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
        self.verdict: Optional[Dict[str, Any]] = None  # where it was compared
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
            for row in rows:
                if "verdict" in row:
                    terminalreporter.write_line("%s: %s" % (row["test"],
                                                            _sentence(row["verdict"])))


def _sentence(told: Dict[str, Any]) -> str:
    """What a comparison found: "worse than main: +7.1 % [+6.0, +8.3]"."""
    text = "%s, compared with %s" % (told["verdict"].replace("_", " "), told["baseline"])
    if "change" in told:
        text += ": %+.1f %%" % (100 * told["change"])
    if "interval" in told:
        text += " [%+.1f, %+.1f]" % tuple(100 * x for x in told["interval"])
    if "because" in told:
        text += "; " + told["because"]
    return text + ("; what helps: " + told["advice"] if "advice" in told else "")


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
    group.addoption("--ortmeter-tag", metavar="NAME",
                    help="give the runs this tag: those of a test that have it are compared "
                         "together, whichever pytest recorded them")
    group.addoption("--ortmeter-compare", metavar="NAME", nargs="?", const=_BASELINE,
                    help="compare each test with its runs in this baseline, or with this tag; "
                         "%s if not given" % _BASELINE)
    group.addoption("--ortmeter-compare-fail", metavar="PCT",
                    help="fail tests that got slower by so much, such as 5%%")
    group.addoption("--ortmeter-undecided", choices=("pass", "skip", "fail"), default="skip",
                    help="what becomes of a test of which it cannot be told whether it got "
                         "slower; skip if not given")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "ortmeter(%s): records the test's inferences, and "
                            "fails it beyond these limits" % ", ".join([*_LIMITS, *_COMPARING]))
    _check_percent("--ortmeter-compare-fail", config.getoption("--ortmeter-compare-fail"))
    config.pluginmanager.register(State(config), _STATE)


def _check_percent(name: str, value: Any) -> None:
    if value is not None and not (isinstance(value, str) and _PERCENT.fullmatch(value)):
        raise pytest.UsageError("%s takes a share in percent, such as '5%%', and not %r"
                                % (name, value))


def _marked(item: pytest.Item) -> Dict[str, Any]:
    """All that the markers say; those of the closest one count."""
    marked: Dict[str, Any] = {}
    for marker in reversed(list(item.iter_markers(_NAME))):
        marked.update(marker.kwargs)
    unknown = sorted(set(marked) - set(_LIMITS) - set(_COMPARING))
    if unknown:
        raise pytest.UsageError("%s: there is no limit %s; there are %s" % (
            item.nodeid, ", ".join(unknown), ", ".join([*_LIMITS, *_COMPARING])))
    _check_percent("%s: max_regression" % item.nodeid, marked.get("max_regression"))
    return marked


def _limits(item: pytest.Item) -> Dict[str, float]:
    return {name: value for name, value in _marked(item).items() if name in _LIMITS}


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
    tag = config.getoption("--ortmeter-tag")
    recorded = Recorded(record(state.database(), ops=config.getoption("--ortmeter-ops"),
                               tags=["pytest", _tag_of(request.node)] + ([tag] if tag else [])))
    yield recorded
    recorded.finish()


def _tag_of(item: pytest.Item) -> str:
    """What the runs of a test are known by."""
    return str(item.nodeid).replace(",", " ")


def _sides(item: pytest.Item, recorded: Recorded,
           name: str) -> Tuple[List[Run], List[Run]]:
    """The runs of this test that are compared: those of a baseline or a tag, and this
    one, with those that have the same --ortmeter-tag."""
    database: Database = recorded.run.database
    tag = item.config.getoption("--ortmeter-tag")
    baseline = database.baselines().get(name)
    before, after = [], [recorded.run]
    for row in database.list(limit=100000, tag=_tag_of(item)):
        run, tags = Run(database, row["run"]["id"]), row["run"].get("tags", [])
        if run.id == recorded.run.id:
            continue
        if tag and tag in tags:
            after.append(run)
        elif run.id in baseline if baseline is not None else name in tags:
            before.append(run)
    return before, after


def _compare(item: pytest.Item, recorded: Recorded) -> Optional[Dict[str, Any]]:
    """What the comparison tells that the marker or the command line asks for."""
    marked, option = _marked(item), item.config.getoption
    least = marked.get("max_regression", option("--ortmeter-compare-fail"))
    name = marked.get("baseline", option("--ortmeter-compare"))
    if name is None and least is None:
        return None
    name = name or _BASELINE
    told: Dict[str, Any] = {"verdict": "cannot_tell", "baseline": name}
    if not option("--ortmeter-save"):
        told["because"] = "the runs of other times are not kept: --ortmeter-save DB"
        return told
    recorded.finish()
    before, after = _sides(item, recorded, name)
    if not before:
        told["because"] = "there are no runs of this test in %s" % name
        return told
    try:
        found = compare(before, after, least)
    except OrtmeterError as why:
        told["because"] = str(why)
        return told
    headline = found["figures"][0] if found.get("figures") else {}
    told.update({key: found[key] for key in ("verdict", "because", "advice") if key in found})
    told.update({key: headline[key] for key in ("change", "interval") if key in headline})
    told["runs"] = [len(before), len(after)]
    return told


def _judge(item: pytest.Item, recorded: Recorded) -> None:
    """A test that got slower fails where a limit was set; of one that cannot be told,
    the command line says what becomes."""
    told = recorded.verdict
    if told is None or told["verdict"] in ("same", "better"):
        return
    option = item.config.getoption
    if "max_regression" not in _marked(item) and option("--ortmeter-compare-fail") is None:
        return
    sentence = "ortmeter: " + _sentence(told)
    if told["verdict"] == "worse" or option("--ortmeter-undecided") == "fail":
        pytest.fail(sentence, pytrace=False)
    if option("--ortmeter-undecided") == "skip":
        pytest.skip(sentence)


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
    verdict = {} if recorded.verdict is None else {"verdict": recorded.verdict}
    item.user_properties.append((_NAME, json.dumps(
        {"test": item.nodeid, "run": recorded.run.id, **figures, **verdict})))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    recorded = getattr(item, "funcargs", {}).get(_NAME)
    if not isinstance(recorded, Recorded):
        return (yield)
    try:
        result = yield
        recorded.verdict = _compare(item, recorded)
    finally:
        _keep(item, recorded)
    beyond = _beyond(_limits(item), recorded.finish())
    if beyond:
        pytest.fail("ortmeter: " + "; ".join(beyond), pytrace=False)
    _judge(item, recorded)
    return result
