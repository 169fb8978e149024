#!/bin/bash
# A guest changes nothing: the calls that ONNX Runtime gets are the program's
# own, and a program that has ONNX Runtime inside keeps its memory as it was.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# The stub is in the programs' own folder, not the real library's.
unset LD_LIBRARY_PATH

calls() { # program, command before it...
    local program=$1
    shift
    rm -f calls
    env STUB_RECORD=calls "$@" "$programs/$program" model 3 >>calls.out ||
        fail "$program fails"
    mv calls "$program.calls"
}

for ops in off auto all 2; do
    for program in linked embedded embedded_code; do
        : >calls.out
        calls "$program"
        mv "$program.calls" "$program.plain"
        calls "$program" "$ortmeter" run --ops "$ops" --db t.db -o run.json --
        [ "$(sort -u calls.out | wc -l)" -eq 1 ] ||
            fail "$program prints something else under the meter"
        # The one question that is ours: where the model editor's table is.
        diff "$program.plain" <(grep -vxF 291 "$program.calls") ||
            fail "$program --ops $ops: other calls than without us"
        if [ "$program" = embedded_code ]; then
            is '.latency.count // 0' 0 # its table shares pages with its code
        else
            counted 3
            # A library of C has no descriptions of classes.
            [ "$ops" = off ] || is '.operators_missing[0].reason' \
                'it was built without descriptions of its types'
        fi
    done
done
