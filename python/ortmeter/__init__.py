"""ortmeter: a meter for ONNX Runtime inference.

The meter is a program, `ortmeter`, that was installed beside this package:

    ortmeter run -- python app.py

measures every inference of app.py, which needs no change.  `python -m ortmeter`
is the same program.
"""

from importlib.metadata import version as _version

__version__ = _version("ortmeter")
