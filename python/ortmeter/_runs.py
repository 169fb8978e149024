"""Reading what was recorded.

Everything comes from the program: `ortmeter list`, `report`, `export` and
`compare` read any database of theirs, and what they print is what is here."""

import html
import json
import os
import subprocess
from array import array
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union

from ._native import program

Row = Dict[str, Any]
Column = Union["array[int]", "array[float]", List[Any]]


class OrtmeterError(RuntimeError):
    """What the program said, in a sentence."""


def _ask(words: Sequence[str]) -> str:
    done = subprocess.run([program(), *words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, encoding="utf-8")
    if done.returncode not in (0, 3, 4):  # 3 and 4 are verdicts
        said = done.stderr.strip()
        start = "ortmeter %s: " % words[0]
        raise OrtmeterError(said[len(start):] if said.startswith(start) else said)
    return done.stdout


def _column(values: List[Any]) -> Column:
    """Numbers as an array, which numpy takes without a copy; where one of them is
    missing it is NaN.  Anything else as a list."""
    kinds = {type(v) for v in values}
    if kinds == {bool}:
        return array("b", values)
    if kinds == {int}:
        return array("q", values)
    if kinds and kinds <= {int, float, type(None)} and kinds != {type(None)}:
        return array("d", [float("nan") if v is None else v for v in values])
    return values


class Run:
    """One recorded run."""

    def __init__(self, database: "Database", id: str) -> None:
        self.database = database
        self.id = id

    def __repr__(self) -> str:
        return "<ortmeter run %s of %s>" % (self.id, self.database.path or "the user's database")

    def _ask(self, verb: str, *words: str) -> str:
        return _ask([verb, *words, *self.database.words, self.id])

    def report(self) -> Row:
        """All figures of it: what `ortmeter report --json` prints."""
        got: Row = json.loads(self._ask("report", "--json"))
        return got

    def text(self) -> str:
        """The report for people."""
        return self._ask("report")

    def rows(self, table: str) -> List[Row]:
        """A table as `ortmeter export` has it, a dict a row; what is not known is
        not in it."""
        out = self._ask("export", "-f", "jsonl", "--quiet", "--table", table)
        return [json.loads(line) for line in out.splitlines()]

    def columns(self, table: str) -> Dict[str, Column]:
        """The same by columns: array.array for numbers, lists for texts."""
        rows = self.rows(table)
        names: Dict[str, None] = {}
        for row in rows:
            names.update(dict.fromkeys(row))
        return {name: _column([row.get(name) for row in rows]) for name in names}

    @property
    def inferences(self) -> List[Row]:
        return self.rows("inferences")

    @property
    def operators(self) -> List[Row]:
        """The operators with their times, the most expensive first."""
        got: List[Row] = self.report().get("ops", [])
        return got

    @property
    def sections(self) -> List[Row]:
        return self.rows("pipeline_sections")

    @property
    def tokens(self) -> List[Row]:
        return self.rows("tokens")

    @property
    def readings(self) -> List[Row]:
        return self.rows("readings")

    @property
    def marks(self) -> List[Row]:
        return [row for row in self.rows("events") if row.get("kind") == "mark"]

    def _repr_html_(self) -> str:
        report = self.report()
        figures = "".join("<tr><th style='text-align:left'>%s</th><td>%s</td></tr>"
                          % (html.escape(name), html.escape(text))
                          for name, text in _figures(report))
        spans = [row["duration_ns"] / 1e3 for row in self.inferences]
        return ("<div><b>%s</b><table>%s</table>%s</div>"
                % (html.escape(str(report["run"].get("command", self.id))), figures,
                   _chart(spans)))


def _figures(report: Row) -> Iterator["tuple[str, str]"]:
    latency = report.get("latency", {})
    if latency.get("count"):
        yield "inferences", "%d, %d failed" % (latency["count"], latency.get("failed", 0))
    for name, key in (("median", "median_us"), ("p95", "p95_us"), ("p99", "p99_us")):
        if key in latency:
            yield name, "%.1f \u00b5s" % latency[key]
    if "inferences_per_s" in report.get("throughput", {}):
        yield "throughput", "%.1f inferences/s" % report["throughput"]["inferences_per_s"]
    if "tokens_per_s" in report.get("tokens", {}):
        yield "tokens", "%.1f a second" % report["tokens"]["tokens_per_s"]
    if "rss_max_bytes" in report.get("memory", {}):
        yield "memory", "%.1f MB" % (report["memory"]["rss_max_bytes"] / 1e6)
    ops = report.get("op_types", [])[:3]
    if ops:
        yield "operators", ", ".join("%s %.0f %%" % (o["op_type"], 100 * o["share"]) for o in ops)


_WIDTH, _HEIGHT = 480, 80


def _chart(spans: List[float]) -> str:
    """How long each inference took, one after the other."""
    if len(spans) < 2:
        return ""
    step = max(1, len(spans) // _WIDTH)
    peaks = [max(spans[i:i + step]) for i in range(0, len(spans), step)]
    top = max(peaks) or 1.0
    points = " ".join("%.1f,%.1f" % (_WIDTH * i / max(1, len(peaks) - 1),
                                     _HEIGHT - (_HEIGHT - 2) * v / top)
                      for i, v in enumerate(peaks))
    return ("<svg width='%d' height='%d' role='img' aria-label='latency of each inference'>"
            "<polyline points='%s' fill='none' stroke='#0072b2'/></svg>"
            "<div>latency, up to %.1f \u00b5s</div>" % (_WIDTH, _HEIGHT, points, top))


class Database:
    """A database of runs; iterating gives them, the newest first."""

    def __init__(self, path: Union[str, "os.PathLike[str]", None] = None) -> None:
        self.path = None if path is None else os.fspath(path)
        self.words = [] if self.path is None else ["--db", self.path]

    def __repr__(self) -> str:
        return "<ortmeter database %s>" % (self.path or "of the user")

    def run(self, name: str = "last") -> Run:
        """By its id, the beginning of one, a tag, or last, last~1, ..."""
        found = json.loads(_ask(["report", "--json", *self.words, name]))
        return Run(self, found["run"]["id"])

    def list(self, limit: int = 1000, tag: Optional[str] = None) -> List[Row]:
        """What `ortmeter list --json` tells of each run."""
        words = ["list", "--json", "--limit", str(limit), *self.words]
        got: List[Row] = json.loads(_ask(words + (["--tag", tag] if tag else [])))["runs"]
        return got

    def baselines(self) -> Dict[str, List[str]]:
        """The names that `ortmeter baseline set` gave, each with the ids of its runs."""
        got = json.loads(_ask(["baseline", "list", "--json", *self.words]))["baselines"]
        return {b["name"]: b["runs"] for b in got}

    def __iter__(self) -> Iterator[Run]:
        return iter([Run(self, row["run"]["id"]) for row in self.list()])


def open(path: Union[str, "os.PathLike[str]", None] = None) -> Database:
    """The database in a file, or the user's own."""
    if path is not None and not os.path.exists(path):
        raise FileNotFoundError("there is no database %s" % os.fspath(path))
    return Database(path)


def compare(before: Union[Run, Sequence[Run]], after: Union[Run, Sequence[Run]],
            least: Optional[str] = None) -> Row:
    """Did it get slower, from some runs to others?  `ortmeter compare --json`: verdict,
    because, figures, operators.  All are of one database.  `least` is the smallest
    change that matters: "5%"."""
    sides = [[side] if isinstance(side, Run) else list(side) for side in (before, after)]
    if not all(sides):
        raise OrtmeterError("there are no runs to compare")
    databases = {run.database.path for side in sides for run in side}
    if len(databases) > 1:
        raise OrtmeterError("%s are two databases: export a run of one as json, and "
                            "import it into the other" % " and ".join(map(str, databases)))
    words = ["compare", "--json", *sides[0][0].database.words]
    got: Row = json.loads(_ask(words + (["--least", least] if least else [])
                               + [",".join(run.id for run in side) for side in sides]))
    return got
