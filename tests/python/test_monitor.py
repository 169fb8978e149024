"""Sections, batches, tokens, marks: what is told is in the run, and the program
does what it does without."""
import asyncio
import gc
import inspect
import sys
import threading

import ortmeter
import pytest
from ortmeter import monitor


def names(run):
    return [(s["phase"], s["section_name"]) for s in run.sections]


def test_nobody_listens():
    assert not monitor.listening()
    with monitor.section("prefill", "layers") as s:
        monitor.mark("x")
        monitor.token(0, 1, "a")
        monitor.thread_name("x")
        with monitor.monitor_batch(batch_size=2):
            pass
    assert isinstance(s, monitor.section)


@pytest.mark.parametrize("call, why", [
    (lambda: monitor.section("warm", "x"), "a phase is other, pre, prefill"),
    (lambda: monitor.section("pre"), "Section\\(phase, name\\)"),
    (lambda: monitor.section("pre", 3), "is a str"),
    (lambda: monitor.monitor_inference("x", phase="warm"), "a phase is"),
])
def test_wrong_arguments(call, why):
    with pytest.raises(TypeError, match=why):
        call()


def test_wrong_batch():
    with pytest.raises(ValueError, match="at least one"):
        monitor.monitor_batch(batch_size=0)
    with pytest.raises(TypeError, match="4294967295"):
        with monitor.monitor_batch(batch_size=1 << 40):
            pass


def test_appendix_a(database, session, feed, model):
    """The three patterns of the document, as they stand there."""
    data = [feed["x"]] * 32
    with ortmeter.record(database) as run:
        @monitor.monitor_inference("model_name")
        def run_inference(session, inputs):
            return session.run(None, inputs)
        run_inference(session, feed)

        with monitor.monitor_batch(batch_size=32):
            for i in range(32):
                outputs = session.run(None, {"x": data[i]})
        assert outputs

        from ortmeter import MonitoredInferenceSession
        with pytest.warns(UserWarning, match="QNNExecutionProvider"):
            monitored_session = MonitoredInferenceSession(
                model,
                providers=['QNNExecutionProvider'],
                monitoring_config={'enable_profiling': True}
            )
        monitored_session.run(None, feed)
    sizes = [i.get("batch_size") for i in run.inferences]
    assert sizes == [None] + [32] * 32 + [None]
    assert names(run) == [("other", "model_name"), ("other", "batch"),
                          ("pre_inference", "load " + model), ("other", model)]


def test_monitored_session(model, feed, session):
    import onnxruntime
    from ortmeter import MonitoredInferenceSession
    s = MonitoredInferenceSession(model, providers=["CPUExecutionProvider"],
                                  monitoring_config={"name": "m", "enable_profiling": False})
    assert isinstance(s, onnxruntime.InferenceSession)
    assert (s.run(None, feed)[0] == session.run(None, feed)[0]).all()
    with pytest.raises(ValueError, match="no colour; it has enable_profiling, name, phase"):
        MonitoredInferenceSession(model, monitoring_config={"colour": 1})


def test_marks_and_tokens(database):
    with ortmeter.record(database) as run:
        monitor.mark("here")
        monitor.token(0, 17, "Hallo")
        monitor.token(1, -3)
    assert [m["text"] for m in run.marks] == ["here"]
    assert [(t["token_index"], t["token_id"], t.get("token_text")) for t in run.tokens] == [
        (0, 17, "Hallo"), (1, -3, None)]


def test_nested_sections_and_batches(database, session, feed):
    with ortmeter.record(database) as run:
        with monitor.section("pre", "outer"):
            with monitor.section("prefill", "inner"):
                pass
        with monitor.monitor_batch(batch_size=8, padding=1, queue_depth=2):
            session.run(None, feed)
            with monitor.monitor_batch(4):
                session.run(None, feed)
            session.run(None, feed)
        session.run(None, feed)
    assert names(run)[:2] == [("prefill", "inner"), ("pre_inference", "outer")]
    inner, outer = run.sections[:2]
    assert outer["start_ns"] <= inner["start_ns"]
    assert inner["duration_ns"] <= outer["duration_ns"]
    assert [i.get("batch_size") for i in run.inferences] == [8, 4, 8, None]
    assert run.inferences[0]["padding"] == 1 and run.inferences[0]["queue_depth"] == 2


def test_decorator_keeps_the_function():
    def f(a, *, b=2):
        "What it does."
        return a + b
    g = monitor.monitor_inference("x")(f)
    assert g(1, b=5) == 6
    assert (g.__name__, g.__doc__, g.__wrapped__) == ("f", "What it does.", f)
    assert inspect.signature(g) == inspect.signature(f)

    @monitor.monitor_inference
    def bare():
        return 3
    assert bare() == 3


def test_decorators_of_every_kind(database):
    @monitor.monitor_inference("plain", phase="decode")
    def plain():
        return 1

    @monitor.monitor_inference("coroutine")
    async def coroutine():
        await asyncio.sleep(0)
        return 2

    @monitor.monitor_inference("generator")
    def generator():
        got = yield 1
        yield got
        return 3

    @monitor.monitor_inference("agen")
    async def agen():
        try:
            got = yield 1
            yield got
        except KeyError:
            yield "caught"

    class C:
        @monitor.monitor_inference("method")
        def method(self):
            return self

    assert asyncio.iscoroutinefunction(coroutine) and inspect.isgeneratorfunction(generator)
    assert inspect.isasyncgenfunction(agen)

    async def all_async():
        assert await coroutine() == 2
        a = agen()
        assert await a.__anext__() == 1
        assert await a.asend("x") == "x"
        assert await a.athrow(KeyError()) == "caught"
        assert [i async for i in a] == []
        b = agen()
        await b.__anext__()
        await b.aclose()

    with ortmeter.record(database) as run:
        assert plain() == 1
        g = generator()
        assert (next(g), g.send("x")) == (1, "x")
        with pytest.raises(StopIteration) as stopped:
            next(g)
        assert stopped.value.value == 3
        c = C()
        assert c.method() is c
        asyncio.run(all_async())
    assert names(run) == [("decode", "plain"), ("other", "generator"), ("other", "method"),
                          ("other", "coroutine"), ("other", "agen"), ("other", "agen")]


def test_exceptions_are_the_functions_own(database):
    class Own(Exception):
        pass

    @monitor.monitor_inference("x")
    def fails():
        raise Own("y")

    @monitor.monitor_inference("x")
    async def fails_later():
        raise Own("z")

    with ortmeter.record(database) as run:
        for _ in range(2):
            with pytest.raises(Own, match="y") as raised:
                fails()
            assert [t.name for t in raised.traceback][-1] == "fails"
        with pytest.raises(Own, match="z"):
            asyncio.run(fails_later())
        with pytest.raises(Own):
            with monitor.section("pre", "s"), monitor.monitor_batch(2):
                raise Own()
    assert len(run.sections) == 5


def test_threads(database):
    def work():
        for _ in range(500):
            with monitor.section("decode", "step"):
                pass

    with ortmeter.record(database) as run:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert len(run.sections) == 2000
    assert len({s["thread"] for s in run.sections}) == 4


def test_no_reference_leaks(database):
    name, phase = "a name of its own", "prefill"

    @monitor.monitor_inference(name)
    def f():
        pass

    def many(times):
        for _ in range(times):
            with monitor.section(phase, name):
                monitor.mark(name)
            f()
            with monitor.monitor_batch(2):
                monitor.token(0, 1, name)

    def held():
        gc.collect()
        return [sys.getrefcount(o) for o in (name, phase, None, monitor.section, f)]

    for recorded in (False, True):
        recording = ortmeter.record(database, rate=0)
        if recorded:
            recording.start()
        many(100)
        before = held()
        many(25000)
        assert all(abs(a - b) < 50 for a, b in zip(before, held()))
        recording.stop()
