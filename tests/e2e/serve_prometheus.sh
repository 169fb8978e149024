#!/bin/bash
# A real Prometheus scrapes /metrics of a run that is being recorded; promtool
# finds nothing to say of it.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
need_tool promtool
need_tool prometheus
need_tool curl
need_tool jq
export XDG_STATE_HOME=$TMPDIR/state

touch log
"$ortmeter" run --db t.db --quiet -- "$programs/ticker" "$models/mlp.onnx" log \
    stop >out 2>err &
recorder=$!
await test -s t.db
"$ortmeter" serve --db t.db 2>serve.err &
await is_serving serve.err

# Counted, and read of the session, too.
complete() {
    curl -sf "$base/metrics" >metrics.txt &&
        grep -q '^ortmeter_inferences_total{' metrics.txt &&
        grep -q '^ortmeter_session_busy_seconds_total{' metrics.txt &&
        grep -q '^ortmeter_others_cpu_cores{' metrics.txt
}
await complete
promtool check metrics <metrics.txt >out.txt 2>err.txt ||
    fail "promtool complains: $(cat out.txt err.txt)"
[ ! -s err.txt ] || fail "promtool says: $(cat err.txt)"

# Its own: a request more with each, a refusal more, and a line of the document
# for each of them.
own() { # name
    curl -sf "$base/metrics" | awk -v name="ortmeter_server_$1" \
        '$1 == name { print $2 }'
}
requests=$(own requests_total)
refusals=$(own refusals_total)
[ "$(curl -s -o out.txt -w '%{http_code}' "$base/nothing")" = 404 ] ||
    fail "$(cat out.txt)"
[ "$(own requests_total)" -ge $((requests + 3)) ] || fail "requests: $requests"
[ "$(own refusals_total)" -eq $((refusals + 1)) ] || fail "refusals: $refusals"
[ "$(own websocket_clients)" -eq 0 ] || fail "there is a client"
[ "$(own merged_ticks_total)" -eq 0 ] || fail "a tick was merged"
sed -n 's/^# TYPE ortmeter_\(server_[a-z_]*\) .*/\1/p' metrics.txt >names.txt
while read -r name; do
    grep -q "^| \`$name\` |" "$SRC/docs/metrics.md" || fail "no $name in docs"
done <names.txt

cat >prometheus.yml <<END
scrape_configs:
  - job_name: ortmeter
    scrape_interval: 1s
    scrape_timeout: 1s
    static_configs:
      - targets: ['${base#http://}']
END
listen=$(node -e "const s = require('node:net').createServer();
    s.listen(0, '127.0.0.1', () => {
        console.log(s.address().port); s.close(); })")
prometheus --config.file=prometheus.yml --storage.tsdb.path=tsdb \
    --web.listen-address="127.0.0.1:$listen" >prometheus.log 2>&1 &
ask() { # query
    curl -sfG --data-urlencode "query=$1" \
        "http://127.0.0.1:$listen/api/v1/query" |
        jq -r '.data.result[0].value[1] // empty'
}
# More and more inferences, as the program goes on.
grows() {
    [ "$(ask 'increase(ortmeter_inferences_total[20s]) > bool 0')" = 1 ]
}
await grows
[ "$(ask 'up{job="ortmeter"}')" = 1 ] || fail "it is not up"
session=$(ask 'count(ortmeter_session_busy_seconds_total * on (session, model)
    group_left ortmeter_inferences_total)')
[ "$session" = 1 ] || fail "the session's figures do not share labels: $session"
# What the dashboard asks for: metrics that there are, in words that it takes.
jq -r '.. | .expr? // empty' "$SRC/samples/grafana/ortmeter.json" >asked.txt
[ -s asked.txt ] || fail "the dashboard asks for nothing"
while read -r query; do
    curl -sfG --data-urlencode "query=$query" -o out.txt \
        "http://127.0.0.1:$listen/api/v1/query" || fail "no answer to $query"
    name=$(grep -o 'ortmeter_[a-z_]*' <<<"$query")
    name=${name#ortmeter_}
    grep -q "^| \`${name%_bucket}\` |" "$SRC/docs/metrics.md" ||
        fail "there is no $name"
done <asked.txt
touch stop
wait "$recorder" || fail "the program failed: $(cat err)"
