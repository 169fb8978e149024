#!/bin/bash
# bench_generate.sh -- how fast `ortmeter generate` makes tokens and reads texts:
# against the plainest loop in C around the same session (bench/decode.c), against
# onnxruntime-genai with as many threads, and against Hugging Face's tokenizers;
# and what looking at every operator adds to a token.
#
# On the decoder that is made with every build, and on one of 170 MB that is made
# here.  The two sides take turns, and a ratio is the median over them; in brackets
# the middle half.  BUILD names another build directory, TURNS how often (9).
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath "${BUILD:-build}")
turns=${TURNS:-9}
export ORT_DISABLE_TELEMETRY=1
ort=$build/ort/1.31.1/libonnxruntime.so
[ -e "$ort" ] || {
    echo 'generate: there is no ONNX Runtime 1.31.1: tools/deps.sh test'
    exit 0
}
ninja -C "$build" --quiet bench/decode bench/tokenize bench/make_large_decoder
python=$(tools/find_python.sh 3.11) || python=
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/large"
"$build/bench/make_large_decoder" "$tmp/large" >/dev/null

# A line: what, the ratio with its middle half, whether it is as high as wanted.
verdict() { # what, aim; stdin: a ratio a line
    jq -r -s --arg what "$1" --argjson aim "$2" '
        def at(q): sort | .[(length - 1) * q |
            if q < 0.5 then floor elif q > 0.5 then ceil else round end];
        def digits: . * 1000 | round / 1000;
        "\($what): \(at(0.5) | digits) [\(at(0.25) | digits) " +
            "\(at(0.75) | digits)]  aim >= \($aim): " +
            if at(0.5) >= $aim then "ok" else "FAIL" end'
}

to_plain_loop() { # name, folder, tokens
    "$build/bench/decode" "$ort" "$2" 1 "$3" "$turns" >"$tmp/figures"
    jq '.speed_p25, .speed, .speed_p75' "$tmp/figures" |
        verdict "decode speed to a plain C loop, $1" 0.98
}

to_genai() { # name, folder, tokens
    local i
    for ((i = 0; i < turns; i++)); do
        "$build/bench/decode" "$ort" "$2" 1 "$3" 1
        PYTHONPATH=$build/python/genai "$python" bench/decode_peer.py "$2" 1 \
            "$3" 1
    done | jq -s '_nwise(2) | .[1].peer_us / .[0].ours_us' |
        verdict "decode speed to onnxruntime-genai, one thread each, $1" 1
}

# What a later token takes, in ms.
token_ms() { # folder, tokens, depth
    "$build/ortmeter" generate "$1" --ort "$ort" --db "$tmp/t.db" --rate 0 \
        --energy off --threads 1 --ignore-eos --max-tokens "$2" \
        --tokens 3,4,5,6 --depth "$3" --json |
        jq '.generate.generations[0].tokens[2:] | map(.duration_ms) |
            sort | .[length / 2 | floor]'
}

module_depth() { # name, folder, tokens
    local i
    for ((i = 0; i < turns; i++)); do
        token_ms "$2" "$3" off
        token_ms "$2" "$3" module
    done | jq -r -s --arg name "$1" '[_nwise(2) | .[1] - .[0]] | sort |
        "what --depth module adds to a token, \($name): " +
        "\(.[length / 2 | floor] * 1000 | round) us"'
}

to_tokenizers() { # name, tokenizer.json
    local i
    for ((i = 0; i < turns; i++)); do
        "$build/bench/tokenize" "$2" 1 docs/*.md
        PYTHONPATH=$build/python/tokenizers "$python" bench/tokenize_peer.py \
            "$2" 1 docs/*.md
    done | jq -s '_nwise(2) | if .[0].tokens != .[1].tokens then
        error("other tokens") else .[1].seconds / .[0].seconds end' |
        verdict "tokenizer speed to Hugging Face's, one thread, $1" 3
}

to_plain_loop decoder "$build/models/decoder" 128
to_plain_loop 'decoder of 170 MB' "$tmp/large" 24
if [ -n "$python" ] && [ -d "$build/python/genai" ]; then
    to_genai decoder "$build/models/decoder" 128
    to_genai 'decoder of 170 MB' "$tmp/large" 24
else
    echo 'there is no onnxruntime-genai to compare with: tools/deps.sh bench'
fi
module_depth decoder "$build/models/decoder" 64
module_depth 'decoder of 170 MB' "$tmp/large" 24
if [ -n "$python" ] && [ -d "$build/python/tokenizers" ]; then
    for name in gpt2 llama2 llama3 gemma2 qwen2_5; do
        file=$build/npm/node_modules/@lenml/tokenizer-$name/models/tokenizer.json
        [ ! -e "$file" ] || to_tokenizers "$name" "$file"
    done
else
    echo 'there are no tokenizers to compare with: tools/deps.sh python'
fi
