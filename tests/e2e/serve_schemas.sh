#!/bin/bash
# Every answer of the server against its OpenAPI document: by Ajv, and by
# schemathesis, which makes up requests of its own.
. "$(dirname "$0")/lib.sh"
ajv=${AJV:-$npm/ajv}
schemathesis=${SCHEMATHESIS:-$BUILD/python/schemathesis}
[ -e "$ajv" ] || skip "no ajv here: tools/deps.sh test"
[ -e "$silero" ] || skip "no silero here: tools/deps.sh test"
command -v node >/dev/null || skip "no node here"

export ORTMETER_DB=$TMPDIR/t.db XDG_STATE_HOME=$TMPDIR/state
for tag in nightly other; do
    "$ortmeter" run -q --tag "$tag" -- node "$here/infer.cjs" \
        "$npm/onnxruntime-node" "$silero" 200 "${silero_inputs[@]}" >out.txt
done
mapfile -t ids < <("$ortmeter" list --json | jq -r '.runs[].run.id')
"$ortmeter" serve 2>serve.err &
await is_serving serve.err
node "$here/serve_ajv.cjs" "$ajv" "$base" "${ids[@]:0:2}" >ajv.txt 2>&1 ||
    fail "$(cat ajv.txt)"
tail -n 1 ajv.txt

# A run that is being recorded answers by the same document.
"$ortmeter" run -q -- node "$here/infer.cjs" "$npm/onnxruntime-node" "$silero" \
    20000 "${silero_inputs[@]}" >out.txt &
recorder=$!
for ((i = 0; i < 600; i++)); do
    live=$(curl -s "$base/metrics/current" |
        jq -r 'select(.inferences != []).runs[0].run_id // empty')
    [ -z "$live" ] || break
    sleep 0.1
done
[ -n "$live" ] || fail "no live run"
node "$here/serve_ajv.cjs" "$ajv" "$base" "$live" "${ids[0]}" >ajv.txt 2>&1 ||
    fail "live: $(cat ajv.txt)"
tail -n 1 ajv.txt

kill "$recorder"
wait "$recorder" || true

program=$schemathesis/bin/schemathesis
[ -e "$program" ] || skip "Ajv is content; no schemathesis here"
# As each role; a viewer asks for what is there, the others change what is made
# up.  What libwebsockets answers to a TRACE is its own: no check of that.
cat >common.toml <<'END_OF_CONFIG'
[phases.coverage]
unexpected-methods = ["GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"]
END_OF_CONFIG
cp common.toml known.toml
printf '[parameters]\n"path.run_id" = "%s"\n"query.run" = "%s"\n' "${ids[@]:0:1}" \
    "${ids[@]:0:1}" >>known.toml
as() { # role, settings, options...
    "$ortmeter" token create "$1" --role "$1" >"$1.token"
    PYTHONPATH=$schemathesis "$program" --config-file "$2" run \
        "$base/api/openapi.json" --generation-allow-x00 false --max-examples 4 \
        --phases coverage,fuzzing --exclude-path-regex '^/(ws|assets|embed|$)' \
        --checks not_a_server_error,status_code_conformance \
        --checks content_type_conformance,response_headers_conformance \
        --checks response_schema_conformance,unsupported_method "${@:3}" \
        -H "Authorization: Bearer $(cat "$1.token")" >schemathesis.txt 2>&1 ||
        fail "$1: $(tail -n 60 schemathesis.txt)"
    echo "$1: $(tail -n 1 schemathesis.txt)"
}
as viewer known.toml
as operator common.toml --include-method POST --include-method PATCH
as admin common.toml --include-method POST --include-method PATCH \
    --include-method DELETE
