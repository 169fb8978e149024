#!/bin/bash
# Remote write: VictoriaMetrics and Prometheus accept it, and answer with the
# values that the run's own export has.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

need_tool victoria-metrics
need_tool prometheus
need_tool curl
need_tool python3

# Every series of the last push, and every one of the export that is counted:
# the same labels, the same values.
cat >check.py <<'END'
import json, math, re, sys

def labels(text):
    pairs = re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', text)
    return {k: re.sub(r'\\(.)', lambda m: {'n': '\n'}.get(m[1], m[1]), v)
            for k, v in pairs}

def key(name, found):
    found = {k: v for k, v in found.items()
             if k not in ('__name__', 'job', 'instance')}
    if 'le' in found:
        found['le'] = str(float(found['le']))
    return name, tuple(sorted(found.items()))

want = {}
for row in open('metrics.txt'):
    m = re.match(r'(ortmeter_[a-z_0-9]+)\{(.*)\} (\S+)$', row)
    if m:
        want[key(m[1], labels(m[2]))] = float(m[3])
got = {}
for series in json.load(sys.stdin)['data']['result']:
    metric = series['metric']
    assert metric['job'] == 'ortmeter' and metric['instance'], metric
    got[key(metric['__name__'], metric)] = float(series['value'][1])
shared = [k for k in want if k in got and 'collector' not in k[0]]
counted = [k for k in want if k[0].endswith(('_total', '_bucket', '_sum', '_count'))
           and 'collector' not in k[0]]
missing = [k for k in counted if k not in got]
assert not missing, f'{len(missing)} are missing: {missing[0]}'
for k in shared:
    # VictoriaMetrics keeps 12 digits.
    assert math.isclose(want[k], got[k], rel_tol=1e-11), \
        f'{k}: {got[k]}, not {want[k]}'
assert len(shared) > 150, len(shared)
print(len(shared))
END

export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$BUILD

same() {
    curl -sfG --data-urlencode \
        "query=last_over_time({job=\"ortmeter\",run=\"$run\"}[1h])" \
        "http://127.0.0.1:$port/api/v1/query" >answer.json &&
        python3 check.py <answer.json >out 2>why
}

check() { # what
    meter_options=(--push-interval 0.1
        --remote-write "http://127.0.0.1:$port/api/v1/write")
    meter node "$here/decode.cjs" "$npm/onnxruntime-node" "$models/decoder" \
        3 7 11
    [ "$rc" -eq 0 ] || fail "node failed"
    [ "$(field '.run.note // ""')" = '' ] || fail "$1: $(field .run.note)"
    run=$(field .run.id)
    "$ortmeter" export --db t.db -f prometheus -o metrics.txt
    # New series take a while to be seen.
    await same
}

listens() {
    curl -sf "http://127.0.0.1:$port/-/healthy" >out ||
        curl -sf "http://127.0.0.1:$port/health" >out
}

port=$(free_port)
victoria-metrics -storageDataPath=vm -httpListenAddr="127.0.0.1:$port" \
    -search.latencyOffset=0s -search.disableCache >vm.log 2>&1 &
await listens
check VictoriaMetrics

port=$(free_port)
echo 'scrape_configs: []' >prometheus.yml
prometheus --config.file=prometheus.yml --storage.tsdb.path=tsdb \
    --web.enable-remote-write-receiver \
    --web.listen-address="127.0.0.1:$port" >prometheus.log 2>&1 &
await listens
check Prometheus
