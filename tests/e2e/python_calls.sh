#!/bin/bash
# Every way to run a session, on every Python and onnxruntime that is here:
# counted exactly, results, exceptions and tracebacks as without the meter.
. "$(dirname "$0")/lib.sh"
. "$here/python_lib.sh"

[ -n "$(python_sets)" ] || skip "there is no onnxruntime for Python: tools/deps.sh python"
meter_options+=(--quiet)
for set in $(python_sets); do
    (use_python "$set") >why || { echo "$set: $(cat why)" && continue; }
    use_python "$set"
    compare_all "$python" "$programs_py/calls.py" "$model"

    # "runs failed async binding sessions", as the program counted.
    read -r runs failed async bound sessions < <(tail -n 1 out)
    is .latency.count $((runs + async + bound))
    is .latency.failed "$failed"
    is .lost_events 0
    is '.sessions | length' "$sessions"
    is '.sessions[0].model' mlp
    is '.sessions[0].providers | join(",")' CPUExecutionProvider
    is '.sessions[0].options.intra_op_num_threads' 1
    is '.sessions[0].options["session.intra_op.allow_spinning"]' 0
    is '.sessions[0].first_load' true
    holds '.sessions[0].load_ms > 0'
    is '.sessions[0].batch.max' 3
    is '.sessions[0].input_bytes.max' 768
    is '.sessions[0].output_bytes.max' 120
    is '.sessions[1].model' null
    is '.sessions[1].latency.count' "$async"
    holds '.sessions[2].error | test("nonexistent.onnx")'
    holds '.sessions[3].error | test("protobuf")'
    holds '.errors | map(.text) | any(test("Invalid output name:nope"))'
    is .run.ort.language Python
    is .run.ort.version "${set#*-}"
    # Parts of a call add up to it.
    holds '.python | (.runtime_us + .gil_wait_us + .converting_us - .call_us)
        | fabs < 0.01'
    echo "$set: $((runs + async + bound)) inferences"
done
