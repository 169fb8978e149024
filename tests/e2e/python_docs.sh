#!/bin/bash
# Every example in docs/python.md runs as it stands there, one after the other in
# a folder with a model.
. "$(dirname "$0")/lib.sh"
. "$here/python_lib.sh"

use_python 3.11
[ -e "$wheels/package-3.11/set.txt" ] ||
    skip "there is no build/python/package-3.11: tools/deps.sh python"
export PYTHONPATH=$SRC/python:$PYTHONPATH:$wheels/package-3.11
cp "$model" model.onnx
awk '/^```python$/ { n++; file = "example" n ".py"; next }
    /^```$/ { file = ""; next }
    file { print > file }' "$SRC/docs/python.md"
count=0
for ((n = 1; ; n++)); do
    [ -e "example$n.py" ] || break
    run=("$python" "example$n.py")
    ! grep -q '^def test_' "example$n.py" ||
        run=("$python" -m pytest -q -p no:cacheprovider -p ortmeter.pytest_plugin
            "example$n.py")
    "${run[@]}" >out 2>err || fail "example $n: $(cat out)"
    count=$((count + 1))
done
[ "$count" -ge 6 ] || fail "there are only $count examples"
echo "$count examples"
