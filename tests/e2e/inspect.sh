#!/bin/bash
# What `ortmeter inspect` says of models, large ones, and files that are none.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
need_tool python3

inspect() { # options...
    rc=0
    "$ortmeter" inspect "$@" >out 2>err || rc=$?
}

good() { # options...
    inspect "$@"
    [ "$rc" -eq 0 ] || fail "inspect $* exits with $rc: $(cat err)"
    [ ! -s err ] || fail "inspect $* says on stderr: $(cat err)"
}

# As a document: jq's condition must hold.
shows() { # condition
    jq -e "$1" out >/dev/null || fail "not so: $1 in $(jq -c 'del(.node_list)' out)"
}

# --- a model -----------------------------------------------------------------

sizes=(--dim batch_size=1 --dim sequence_length=4 --dim past_sequence_length=2
    --dim total_sequence_length=6)
good --json --nodes "$models/decoder" "${sizes[@]}"
shows '.schema_version == 1 and .nodes == 155 and .initializers == 94'
shows '.architecture == "llama-like" and .layers == 2'
shows '.architecture_fallback == false'
shows '.macs_complete and .macs_known_nodes == .nodes and .open_dims == []'
shows '(.node_list | length) == .nodes'
shows '([.node_list[].macs] | add) == .macs'
shows '([.components[].macs // 0] | add) == .macs'
shows '([.operators[]] | add) == .nodes'
shows '.flops >= 2 * .macs and .parameters == 1607043'
shows '[.node_list[] | select(.name == "/lm_head/MatMul")][0] |
    .macs == 4 * 256 * 256 and .component == "lm_head" and
    .outputs[0].shape == [1, 4, 256] and .output_bytes == 4096'
shows '.inputs[0] == {name: "input_ids", type: "int64", shape: [1, 4]}'

# Sizes that nobody chose stay open, and nothing is made up.
good --json "$models/decoder/model.onnx"
shows '.macs == null and .flops == null and .macs_complete == false'
shows '.open_dims == ["batch_size", "sequence_length",
    "total_sequence_length", "past_sequence_length"]'
shows '.inputs[0].shape == ["batch_size", "sequence_length"]'

# A net with an answer that anybody can reckon: three layers, 64 to 768, to 768,
# to 10.
good --json "$models/mlp.onnx" --dim batch=3
shows '.macs == 3 * (64 * 768 + 768 * 768 + 768 * 10)'
good --json "$models/chain.onnx" --dim batch=1
shows '.nodes == 10000 and .macs == 0 and .flops == 80000'
# What is known to be none of the families says so, and has no layers to count.
shows '.architecture == "generic network" and .architecture_fallback'
shows 'has("layers") | not'

# The text for people names the same figures.
good "$models/decoder" "${sizes[@]}" --nodes
for words in 'llama-like' 'Known for *155 of 155' '/lm_head/MatMul' 'q_proj'; do
    grep -q -- "$words" out || fail "nothing of '$words' in the text"
done
! grep -q $'\033' out || fail "colours in a file"
good "$models/mlp.onnx" --json -o mlp.json
[ ! -s out ] || fail "-o FILE left something on stdout"
[ "$(jq .nodes mlp.json)" = 5 ] || fail "-o FILE holds something else"

# --- which file --------------------------------------------------------------

mkdir one two none
cp "$models/mlp.onnx" one/some.onnx
cp "$models/mlp.onnx" two/a.onnx
cp "$models/mlp.onnx" two/b.onnx
good --json one
shows '.model == "one/some.onnx"'
inspect two
refused 1 'two holds several .onnx files'
cp "$models/mlp.onnx" two/model.onnx
good --json two/
shows '.model == "two/model.onnx"'
inspect none
refused 1 'none holds no .onnx file'

# --- what is no model --------------------------------------------------------

bad() { # words; the file is `bad`
    inspect bad
    refused 1 "$1"
    grep -q 'bad' err || fail "the file is not named in: $(cat err)"
    [ ! -s out ] || fail "something on stdout"
}

inspect missing
refused 1 'missing: No such file'
: >bad
bad 'it is empty'
head -c 5000 /dev/urandom >bad
bad bad
printf 'hello\n' >bad
bad 'is not an ONNX model'
printf 'version https://git-lfs.github.com/spec/v1\n' >bad
bad 'Git LFS'
rm bad && mkfifo bad
bad 'not an ordinary file'
rm bad
inspect /dev/zero
refused 1 'not an ordinary file'

# Cut anywhere, it is refused: operator sets stand behind the graph.
size=$(stat -c %s "$models/mlp.onnx")
for cut in 1 2 5 17 100 1000 $((size / 2)) $((size - 9)) $((size - 30)); do
    head -c "$cut" "$models/mlp.onnx" >bad
    bad bad
done
bad 'cut short\|opset_import\|damaged'
# What is behind the end spoils it as well.
{ cat "$models/mlp.onnx" && printf '\xff\xff\xff'; } >bad
bad 'damaged'
rm bad

# --- usage -------------------------------------------------------------------

inspect
refused 2 'which model'
inspect "$models/mlp.onnx" --dim batch
refused 2 "'batch' is not of the form NAME=N"
inspect "$models/mlp.onnx" --dim batch=-1
refused 2 'NAME=N'
inspect "$models/mlp.onnx" --dim batches=3
refused 2 'open are: batch'
inspect "$models/mlp.onnx" other
refused 2 'unexpected argument'
good --help
grep -q '^Examples:' out || fail "--help has no examples"
rc=0
"$ortmeter" inspect "$models/mlp.onnx" >/dev/full 2>err || rc=$?
refused 1 'No space left'

# --- names of any bytes ------------------------------------------------------

# A model of one node: name, operator, and what it puts out.
one_node() { # file, name
    python3 - "$@" <<'EOF'
import os, sys

def field(number, payload):
    return bytes([number << 3 | 2, len(payload)]) + payload

name = os.fsencode(sys.argv[2])
tensor = field(1, b"\x08\x01" + field(2, field(1, b"\x08\x02")))
graph = field(1, field(1, b"x") + field(2, name) + field(3, name) +
              field(4, b"Relu"))
graph += field(11, field(1, b"x") + field(2, tensor)) + field(12, field(1, name))
with open(sys.argv[1], "wb") as f:
    f.write(b"\x08\x08" + field(7, graph) + field(8, b"\x10\x11"))
EOF
}

for name in 'quo"te'"'" $'two\nlines' $'bad\xff\xfe' $'\033[31mred' 'ä€😀' \
    '%s%n' 'back\slash'; do
    one_node odd.onnx "$name"
    good --json --nodes odd.onnx
    shows '.nodes == 1 and .flops == 2 and (.outputs[0].name | length) > 0'
    lines=$(wc -l <out)
    good --nodes odd.onnx
    ! grep -q $'\033' out || fail "a name colours the terminal"
    [ -z "${text_lines:-}" ] || [ "$(wc -l <out)" = "$text_lines" ] ||
        fail "a name adds a line to the text"
    text_lines=$(wc -l <out)
    [ -z "${json_lines:-}" ] || [ "$lines" = "$json_lines" ] ||
        fail "a name adds a line to the document"
    json_lines=$lines
done

# --- large ones --------------------------------------------------------------

# A model of `count` weights of `bytes` each, all holes: only what lies between
# them takes room on the disk.
sparse() { # file, count, bytes
    python3 - "$@" <<'EOF'
import sys

def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])

def head(number, length):
    return varint(number << 3 | 2) + varint(length)

def field(number, payload):
    return head(number, len(payload)) + payload

count, size = int(sys.argv[2]), int(sys.argv[3])
heads = []
for i in range(count):
    name = field(8, b"w%d" % i)
    tensor = b"\x08" + varint(size // 4) + b"\x10\x01" + name + head(9, size)
    heads.append(head(5, len(tensor) + size) + tensor)
node = field(1, field(1, b"w0") + field(2, b"y") + field(4, b"Relu"))
end = field(12, field(1, b"y"))
graph = len(node) + sum(map(len, heads)) + count * size + len(end)
with open(sys.argv[1], "wb") as f:
    f.write(b"\x08\x08" + head(7, graph) + node)
    for h in heads:
        f.write(h)
        f.seek(size, 1)
    f.write(end + field(8, b"\x10\x11"))
EOF
}

# Its peak of resident memory, in kB.
peak() { # file
    python3 - "$ortmeter" "$1" <<'EOF'
import resource, subprocess, sys

with open("out", "w") as out:
    subprocess.run([sys.argv[1], "inspect", "--json", sys.argv[2]],
                   stdout=out, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
EOF
}

for shape in '1 3221225472' '3000 1048576'; do
    read -r count bytes <<<"$shape"
    sparse large.onnx "$count" "$bytes"
    [ "$(stat -c %s large.onnx)" -gt 3000000000 ] || fail "not a large file"
    kb=$(peak large.onnx) || fail "a large model is refused"
    shows ".initializers == $count and .parameter_bytes == $count * $bytes"
    shows ".flops == $bytes / 4"
    echo "$count weights of $bytes bytes: $kb kB resident at most"
    [ "$kb" -le 65536 ] || fail "$kb kB resident"
    rm large.onnx
done

# Weights in another file: their size is known, whether it is there or not.
python3 - <<'EOF'
def field(number, payload):
    return bytes([number << 3 | 2, len(payload)]) + payload

def entry(key, value):
    return field(13, field(1, key) + field(2, value))

tensor = b"\x08\x0a\x10\x01" + field(8, b"w") + entry(b"location", b"w.bin")
tensor += entry(b"offset", b"4096") + entry(b"length", b"40") + b"\x70\x01"
graph = field(1, field(1, b"w") + field(2, b"y") + field(4, b"Relu"))
graph += field(5, tensor) + field(12, field(1, b"y"))
with open("away.onnx", "wb") as f:
    f.write(b"\x08\x08" + field(7, graph) + field(8, b"\x10\x11"))
EOF
good --json away.onnx
shows '.external_bytes == 40 and .external_files ==
    [{location: "w.bin", found: false, used_bytes: 40}]'
truncate -s 5000 w.bin
good --json away.onnx
shows '.external_files[0].found and .external_files[0].file_bytes == 5000'
