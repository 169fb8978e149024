#!/bin/bash
# serve --store: the runs of two machines by the same API, every GET held against
# its OpenAPI document, each run's answers the same as from its own database.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
need_tool node
need_tool curl
need_tool jq
ajv=${AJV:-$npm/ajv}
[ -e "$ajv" ] || skip "no ajv here: tools/deps.sh test"
[ -d "$npm/@chdb/lib-linux-x64-gnu" ] || skip "there is no chdb here"
unset ORTMETER_STORE ORTMETER_STORE_PASSWORD
export NO_PROXY=127.0.0.1 no_proxy=127.0.0.1 XDG_STATE_HOME=$TMPDIR/state

node "$here/chdb_server.cjs" "$npm" "$TMPDIR/engine" >port 2>server.err &
await test -s port
url=clickhouse://127.0.0.1:$(cat port)/m

# Two machines: the second one's runs say that they were made elsewhere.
for machine in here there; do
    for tag in one two; do
        "$ortmeter" bench "$models/mlp.onnx" --count 300 --ops all \
            --db "$machine.db" --tag "$tag" --quiet 2>err ||
            fail "bench: $(cat err)"
    done
done
sqlite3 there.db "UPDATE hosts SET info =
    json_set(info, '\$.hostname', 'elsewhere')"
for machine in here there; do
    "$ortmeter" ship --db "$machine.db" --all --store "$url" 2>err ||
        fail "ship: $(cat err)"
done

serve() { # file for its words, options...
    "$ortmeter" serve "${@:2}" 2>"$1" &
    await is_serving "$1"
}
serve fleet.err --store "$url"
fleet=$base
curl -s "$fleet/api/profiling/runs" >runs.json
[ "$(jq -c '[.total, (.runs | length), ([.runs[].host_name] | unique
    | length)]' runs.json)" = '[4,4,2]' ] || fail "runs: $(cat runs.json)"
[ "$(curl -s "$fleet/api/profiling/runs?host=elsewh&limit=1" |
    jq -c '[.total, .runs[0].host_name]')" = '[2,"elsewhere"]' ] ||
    fail "runs of a host"
[ "$(curl -s "$fleet/api/profiling/runs?tags=two&limit=1&offset=1" |
    jq -c '[.total, (.runs | length)]')" = '[2,1]' ] || fail "runs of a tag"
[ "$(curl -s "$fleet/api/profiling/runs?limit=3&status=complete" |
    jq -c '[.total, (.runs | length)]')" = '[4,3]' ] || fail "a page of runs"

mapfile -t ids < <(jq -r '.runs[].run_id' runs.json)
node "$here/serve_ajv.cjs" "$ajv" "$fleet" "${ids[0]}" "${ids[3]}" >ajv.txt \
    2>&1 || fail "$(cat ajv.txt)"
tail -n 1 ajv.txt

# Of a run, both ways say the same.
serve local.err --db there.db
id=$(jq -r '[.runs[] | select(.host_name == "elsewhere")][0].run_id' runs.json)
for path in "api/report?run=$id" "api/sessions?run=$id" \
    "api/operators?run=$id" "metrics/history?run=$id&agg=p99&metric=$(:
    )inference_duration_seconds,session_busy_seconds_total" \
    "timeline?run=$id&limit=50" "api/profiling/run/$id" \
    "api/profiling/run/$id/summary"; do
    curl -s "$fleet/$path" | jq -S . >fleet.json
    curl -s "$base/$path" | jq -S . >local.json
    cmp fleet.json local.json || fail "$path differs: $(diff fleet.json \
        local.json | head -5)"
done

# What is not there, or not done there.
expect() { # status, curl's arguments
    local got
    got=$(curl -s -o answer.txt -w '%{http_code}' "${@:2}")
    [ "$got" = "$1" ] || fail "${*:2}: $got, not $1: $(cat answer.txt)"
}
bearer=(-H "Authorization: Bearer $(sed -n 's|.*#token=||p' fleet.err)")
expect 404 "$fleet/api/report?run=ffffffff"
expect 501 -X DELETE "${bearer[@]}" "$fleet/api/profiling/run/$id"
expect 501 -X PATCH "${bearer[@]}" -H 'Content-Type: application/json' \
    -d '{"tags":"x"}' "$fleet/api/profiling/run/$id"
expect 200 "$fleet/"
grep -q 'id="view"' answer.txt || fail "the page holds no first answer"
! "$ortmeter" serve --db there.db --store "$url" 2>err ||
    fail "serves two places"
grep -q 'give one' err || fail "$(cat err)"
