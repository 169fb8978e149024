"""What the package's tests share.  tests/e2e/python_package*.sh run them, on every
Python that is here; MODEL is the path of a small model."""
import os
import subprocess
import sys

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture
def model():
    return os.environ["MODEL"]


@pytest.fixture
def session(model):
    ort = pytest.importorskip("onnxruntime")
    return ort.InferenceSession(model, providers=["CPUExecutionProvider"])


@pytest.fixture
def feed():
    np = pytest.importorskip("numpy")
    return {"x": np.ones((3, 64), np.float32)}


@pytest.fixture
def database(tmp_path):
    return tmp_path / "runs.db"


@pytest.fixture
def script(tmp_path):
    """Runs a program of its own, with the package; what it printed."""
    def run(text, *words, code=0, before=()):
        path = tmp_path / "script.py"
        path.write_text(text)
        done = subprocess.run([*before, sys.executable, "-W", "error", str(path), *words],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, cwd=str(tmp_path))
        assert done.returncode == code, done.stderr
        return done.stdout
    return run
