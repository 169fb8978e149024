"""ortmeter: a meter for ONNX Runtime inference.

The meter is a program, `ortmeter`, that was installed beside this package:

    ortmeter run -- python app.py

measures every inference of app.py, which needs no change.  This package adds
what a program may want itself: sections and batches (ortmeter.monitor),
recording itself (ortmeter.record), reading what was recorded (ortmeter.open,
ortmeter.compare), looking at processes (ortmeter.etw_monitor), and a plugin for
pytest."""

from typing import TYPE_CHECKING, Any

from . import monitor
from ._version import __version__

if TYPE_CHECKING:
    from ._record import record
    from ._runs import Database, OrtmeterError, Run, compare, open
    from ._session import MonitoredInferenceSession

__all__ = ["Database", "MonitoredInferenceSession", "OrtmeterError", "Run", "__version__",
           "compare", "monitor", "open", "record"]

_LATER = {"record": "._record", "Database": "._runs", "OrtmeterError": "._runs",
          "Run": "._runs", "compare": "._runs", "open": "._runs",
          "MonitoredInferenceSession": "._session"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError("module 'ortmeter' has no attribute %r" % name)
    from importlib import import_module
    return getattr(import_module(_LATER[name], "ortmeter"), name)
