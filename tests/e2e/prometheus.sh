#!/bin/bash
# Prometheus's text: promtool finds nothing to say, what promtool does not look
# at is right too, and a real Prometheus scrapes it and answers the same values.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

need_tool promtool
need_tool prometheus
need_tool python3
need_tool sqlite3

# Names that need escapes; a path that is no UTF-8.
mkdir -p $'a "b\\c\nd'
bad=$'a "b\\c\nd/'$'m\xff.onnx'
cp "$models/mlp.onnx" "$bad"
export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$BUILD
meter_options=(--ops off) # those that tracing slows are left out of latency
meter "$programs/threads" 51 "$models/mlp.onnx" "$bad"
[ "$rc" -eq 0 ] || fail "the program failed: $(cat err)"
"$ortmeter" export --db t.db -f prometheus -o metrics.txt 2>err ||
    fail "there are no metrics: $(cat err)"
promtool check metrics <metrics.txt >out 2>err ||
    fail "promtool complains: $(cat out err)"
[ ! -s err ] || fail "promtool says: $(cat err)"

# What promtool lets pass.
cat >check.py <<'END'
import collections, re, sys

text = open('metrics.txt', 'rb').read().decode('utf-8')
assert text.endswith('\n') and '\r' not in text
seen, families, last = set(), [], {}
line = re.compile(r'([a-z_0-9]+)(\{(?:[^"\\}]|"(?:[^"\\]|\\.)*")*\}) (\S+)$')
for row in text.splitlines():
    if row.startswith('# TYPE '):
        families.append(row.split()[2])
        continue
    if row.startswith('#'):
        continue
    name, labels, value = line.match(row).groups()
    assert (name, labels) not in seen, f'twice: {row}'
    seen.add((name, labels))
    family = families[-1]
    assert name in (family, *(family + s for s in ('_bucket', '_sum', '_count'))), row
    float(value)
    le = re.search(r',le="([^"]*)"', labels)
    if le:
        key = name, labels.replace(le.group(0), '')
        before, bound = last.get(key, (0, -1))
        assert int(value) >= before and float(le.group(1)) > bound, row
        last[key] = int(value), float(le.group(1))
    elif name.endswith('_count'):
        key = name[:-6] + '_bucket', labels
        assert last[key] == (int(value), float('inf')), row
assert len(families) == len(set(families)), 'a family comes twice'
END
python3 check.py 2>err || fail "the text is not sound: $(tail -n 1 err)"

# --- a real one --------------------------------------------------------------

node "$here/serve_file.cjs" metrics.txt 'text/plain; version=0.0.4' >port &
await test -s port
cat >prometheus.yml <<END
scrape_configs:
  - job_name: ortmeter
    scrape_interval: 200ms
    scrape_timeout: 200ms
    static_configs:
      - targets: ['127.0.0.1:$(cat port)']
END
listen=$(node -e "const s = require('node:net').createServer();
    s.listen(0, '127.0.0.1', () => {
        console.log(s.address().port); s.close(); })")
prometheus --config.file=prometheus.yml --storage.tsdb.path=tsdb \
    --web.listen-address="127.0.0.1:$listen" >prometheus.log 2>&1 &

ask() { # query
    curl -sfG --data-urlencode "query=$1" \
        "http://127.0.0.1:$listen/api/v1/query" | jq -c "${2:-.data.result}"
}
scraped() {
    [ "$(ask 'up{job="ortmeter"}' '.data.result[0].value[1]')" = '"1"' ]
}
need_tool curl
await scraped

said() { # query, what it must be
    local got
    got=$(ask "$1" '.data.result[0].value[1] | tonumber')
    [ "$got" = "$2" ] || fail "$1 is $got, not $2"
}
inferences=$(sqlite3 t.db 'SELECT count(*) FROM inferences')
[ "$inferences" -ge 102 ] || fail "too few inferences: $inferences"
said 'sum(ortmeter_inferences_total)' "$inferences"
said 'sum(ortmeter_inference_duration_seconds_count)' "$inferences"
said 'sum(ortmeter_inference_duration_seconds_bucket{le="+Inf"})' "$inferences"
within=$(sqlite3 t.db \
    'SELECT count(*) FROM inferences WHERE duration_ns <= 25000')
said 'sum(ortmeter_inference_duration_seconds_bucket{le="2.5e-05"})' "$within"
total=$(sqlite3 t.db 'SELECT sum(duration_ns) FROM inferences')
said 'sum(ortmeter_inference_duration_seconds_sum) * 1e9 - '"$total"' < bool 2' 1
[ "$(ask 'ortmeter_session_info' '[.data.result[].metric.path
    | select(test("a \"b\\\\c\nd/m�.onnx$"))] | length')" -ge 1 ] ||
    fail "the path is another: $(ask ortmeter_session_info)"

# --- what tracing slows --------------------------------------------------------

rm t.db
meter_options=(--ops all)
meter "$programs/threads" 51 "$models/mlp.onnx" "$bad"
"$ortmeter" export --db t.db -f prometheus -o metrics.txt 2>err ||
    fail "there are no metrics: $(cat err)"
is '.latency | .counted // .count' "$(awk '/^ortmeter_inference_duration_seconds_count/ {
    sum += $NF } END { print sum }' metrics.txt)"
