"""inspect_shapes.py ORTMETER -- ONNX's own tests of its operators, each a model
with inputs and the outputs they give: `ortmeter inspect` is shown the model
without the outputs' shapes, and must not say another.  What it does not know
it may leave open, but not too often.  Exits with 1 otherwise."""
import json
import subprocess
import sys

import numpy

# The tests are older than the numpy they run on.
for name, kind in (("float", float), ("int", int), ("bool", bool),
                   ("object", object), ("str", str)):
    setattr(numpy, name, kind)

import onnx  # noqa: E402
from onnx.backend.test.case.node import collect_testcases  # noqa: E402

MUST_KNOW = 860  # outputs; the rest depends on data, or is seldom used


def settles_shapes(array, position, op_type):
    """Whether a test's input is such as a model would hold itself."""
    if array.dtype.kind in "iu" and array.size <= 64:
        return True
    if array.dtype.kind == "b" and array.size <= 64:
        return position > 0
    return (array.dtype.kind == "f" and array.size <= 8 and
            op_type in ("Resize", "Upsample", "Range"))


def prepare(case):
    """The model with real sizes for its inputs, and none for its outputs."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    graph = model.graph
    inputs = []
    arrays = [numpy.asarray(a) if isinstance(a, numpy.generic) else a
              for a in case.data_sets[0][0]]
    for position, value in enumerate(graph.input):
        array = arrays[position] if position < len(arrays) else None
        if isinstance(array, numpy.ndarray):
            if settles_shapes(array, position, graph.node[0].op_type):
                graph.initializer.append(
                    onnx.numpy_helper.from_array(array, value.name))
                continue
            shape = value.type.tensor_type.shape
            shape.ClearField("dim")
            for size in array.shape:
                shape.dim.add().dim_value = size
        inputs.append(value)
    graph.ClearField("input")
    graph.input.extend(inputs)
    for value in graph.output:
        value.ClearField("type")
    return model


def main():
    known = open_ = wrong = 0
    for case in collect_testcases(None):
        if not case.data_sets:
            continue
        with open("case.onnx", "wb") as file:
            file.write(prepare(case).SerializeToString())
        done = subprocess.run([sys.argv[1], "inspect", "--json", "case.onnx"],
                              capture_output=True, check=False)
        if done.returncode:
            print(f"{case.name}: {done.stderr.decode()}")
            wrong += 1
            continue
        told = json.loads(done.stdout)["outputs"]
        for value, array in zip(told, case.data_sets[0][1]):
            if not isinstance(array, numpy.ndarray):
                continue
            shape, want = value.get("shape"), list(array.shape)
            sizes_known = shape is not None and "?" not in shape
            known += sizes_known
            open_ += not sizes_known
            differs = shape is not None and (
                len(shape) != len(want) or
                any(s not in ("?", w) for s, w in zip(shape, want)))
            if differs:
                wrong += 1
                print(f"{case.name}: {shape}, not {want}")
    print(f"{known} shapes known, {open_} left open, {wrong} wrong")
    return wrong > 0 or known < MUST_KNOW


sys.exit(main())
