"""What only the program knows, told to the meter: sections, batches, tokens.

    from ortmeter import monitor

    @monitor.monitor_inference("detector")
    def detect(session, image):
        return session.run(None, {"image": image})

    with monitor.section("pre", "tokenise"):
        ...

Nothing here is needed to have inferences recorded.  When nobody records, every
call is a no-op of nanoseconds."""

import functools
from _thread import _local
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncGenerator,
    Callable,
    Generator,
    List,
    Optional,
    Tuple,
    TypeVar,
    Union,
    cast,
    overload,
)

from ._native import native

if TYPE_CHECKING:
    from ._session import MonitoredInferenceSession as MonitoredInferenceSession

__all__ = ["MonitoredInferenceSession", "listening", "mark", "monitor_batch",
           "monitor_inference", "section", "thread_name", "token"]

F = TypeVar("F", bound=Callable[..., Any])

_now = native.now
_section_from = native.section_from

# Of a function's code: what calling it makes.
_GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x200


def listening() -> bool:
    """Whether somebody records this process."""
    return bool(native.listening())


def mark(text: str) -> None:
    """Something happened now."""
    native.mark(text)


def token(index: int, id: int, text: Optional[str] = None) -> None:
    """A token was made: the how-manieth of its text, from 0, and its id."""
    native.token(index, id, text)


def thread_name(name: str) -> None:
    """What this thread is called in reports."""
    native.thread_name(name)


if TYPE_CHECKING:
    class section:
        """A stretch of time with a name: `with section("prefill", "layers")`.

        The phase is other, pre, prefill, decode or post.  Sections may nest; one
        object is used by one `with` at a time."""

        def __init__(self, phase: str, name: str) -> None: ...
        def __enter__(self) -> "section": ...
        def __exit__(self, *error: object) -> None: ...
else:
    section = native.Section


def _code_flags(f: Callable[..., Any]) -> int:
    f = getattr(f, "__func__", f)
    return int(getattr(getattr(f, "__code__", None), "co_flags", 0))


def _plain(f: Callable[..., Any], phase: str, name: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        start = _now()
        if not start:
            return f(*args, **kwargs)
        try:
            return f(*args, **kwargs)
        finally:
            _section_from(start, phase, name)
    return call


def _coroutine(f: Callable[..., Any], phase: str, name: str) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:
        start = _now()
        try:
            return await f(*args, **kwargs)
        finally:
            _section_from(start, phase, name)
    return call


def _generator(f: Callable[..., Any], phase: str, name: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        start = _now()
        try:
            return (yield from f(*args, **kwargs))
        finally:
            _section_from(start, phase, name)
    return call


def _async_generator(f: Callable[..., Any], phase: str, name: str) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        start = _now()
        inner = f(*args, **kwargs)
        try:
            item = await inner.__anext__()
            while True:
                try:
                    sent = yield item
                except GeneratorExit:
                    await inner.aclose()
                    raise
                except BaseException as e:
                    item = await inner.athrow(e)
                else:
                    item = await inner.asend(sent)
        except StopAsyncIteration:
            return
        finally:
            _section_from(start, phase, name)
    return call


@overload
def monitor_inference(name: F) -> F: ...


@overload
def monitor_inference(name: Optional[str] = None, phase: str = "other") -> Callable[[F], F]: ...


def monitor_inference(name: Union[str, None, F] = None,
                      phase: str = "other") -> Union[F, Callable[[F], F]]:
    """A decorator: each call of the function is a section of that name.

    Of a coroutine it lasts until it has returned, of a generator from its first
    item until its end.  Results and exceptions are the function's own."""
    native.Section(phase, "")  # a wrong phase is told here and now

    def decorate(f: F) -> F:
        flags = _code_flags(f)
        kind = (_async_generator if flags & _ASYNC_GENERATOR else
                _coroutine if flags & _COROUTINE else
                _generator if flags & _GENERATOR else _plain)
        called = name if isinstance(name, str) else getattr(f, "__qualname__", repr(f))
        return cast(F, functools.wraps(f)(kind(f, phase, called)))

    if name is None or isinstance(name, str):
        return decorate
    return decorate(name)


class _Batches(_local):
    """The batches that this thread is in, the innermost last."""

    def __init__(self) -> None:
        self.stack: List[Tuple[int, int, int]] = []


_batches = _Batches()


class monitor_batch:
    """All inferences of this thread within the `with` are of a batch: so many
    samples, of which so many are padding, with so many requests waiting behind."""

    __slots__ = ("_batch", "_section")

    def __init__(self, batch_size: int, padding: int = 0, queue_depth: int = 0) -> None:
        if batch_size < 1:
            raise ValueError("a batch has at least one sample, not %d" % batch_size)
        self._batch = (batch_size, padding, queue_depth)
        self._section = native.Section("other", "batch")

    def __enter__(self) -> "monitor_batch":
        native.batch_lasting(*self._batch)
        _batches.stack.append(self._batch)
        self._section.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._section.__exit__(*error)
        stack = _batches.stack
        if stack:
            stack.pop()
        native.batch_lasting(*(stack[-1] if stack else (0, 0, 0)))


def __getattr__(name: str) -> Any:
    if name == "MonitoredInferenceSession":  # imports onnxruntime
        from ._session import MonitoredInferenceSession
        return MonitoredInferenceSession
    raise AttributeError("module 'ortmeter.monitor' has no attribute %r" % name)
