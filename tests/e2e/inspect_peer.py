"""inspect_peer.py ORTMETER MODEL... -- what `ortmeter inspect` counts in
models, against what python3-onnx does.  Exits with 1 when they differ."""
import collections
import json
import subprocess
import sys

import numpy
import onnx


def graphs_in(graph):
    """The graph, and all that lie in it."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            inner = list(attribute.graphs)
            if attribute.HasField("g"):
                inner.append(attribute.g)
            for each in inner:
                yield from graphs_in(each)


def operator(node):
    return f"{node.domain}.{node.op_type}" if node.domain else node.op_type


def parameters(graphs):
    total = 0
    for graph in graphs:
        tensors = list(graph.initializer)
        for node in graph.node:
            if node.op_type == "Constant":
                tensors += [a.t for a in node.attribute if a.name == "value"]
        total += sum(int(numpy.prod(t.dims, dtype=object)) for t in tensors)
    return total


def expected(path):
    model = onnx.load(path, load_external_data=False)
    graph = model.graph
    graphs = list(graphs_in(graph))
    defaults = {t.name for t in graph.initializer}
    return {
        "nodes": len(graph.node),
        "subgraph_nodes": sum(len(g.node) for g in graphs[1:]),
        "initializers": len(graph.initializer),
        "subgraph_initializers": sum(len(g.initializer) for g in graphs[1:]),
        "parameters": parameters(graphs),
        "operators": dict(collections.Counter(map(operator, graph.node))),
        "inputs": [i.name for i in graph.input if i.name not in defaults],
        "outputs": [o.name for o in graph.output],
        "opsets": {o.domain or "ai.onnx": o.version
                   for o in model.opset_import},
        "ir_version": model.ir_version,
        "producer": model.producer_name or None,
        "graph_name": graph.name or None,
        "metadata_keys": [p.key for p in model.metadata_props],
    }


def found(ortmeter, path):
    told = json.loads(subprocess.run([ortmeter, "inspect", "--json", path],
                                     stdout=subprocess.PIPE, check=True).stdout)
    told["inputs"] = [i["name"] for i in told["inputs"]]
    told["outputs"] = [o["name"] for o in told["outputs"]]
    return told


def main():
    wrong = 0
    for path in sys.argv[2:]:
        want, got = expected(path), found(sys.argv[1], path)
        for key, value in want.items():
            if got.get(key) != value:
                wrong += 1
                print(f"{path}: {key} is {got.get(key)}, not {value}")
        print(f"{path}: {want['nodes']} nodes, {want['subgraph_nodes']} within,"
              f" {want['initializers']} initializers")
    return wrong > 0


sys.exit(main())
