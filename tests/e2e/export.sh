#!/bin/bash
# A recorded run in all formats of tables and reports: the same cells in CSV,
# JSON Lines and Parquet, as DuckDB reads them; JSON there and back; what cannot
# be exported or imported is refused in one sentence.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

need_tool node
need_tool sqlite3
[ -e "$npm/@duckdb/node-bindings-linux-x64/duckdb.node" ] ||
    skip "there is no DuckDB for this machine"

export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$BUILD
meter_options=(--ops all --tag one)
meter "$programs/sections" "$models/mlp.onnx" 53
[ "$rc" -eq 0 ] || fail "the program failed"

ex() { # arguments of export
    "$ortmeter" export --db t.db "$@" 2>err || fail "export $*: $(cat err)"
}

# --- the same cells ----------------------------------------------------------

cat >same.mjs <<'END'
// same.mjs NODE_MODULES: every table of csv/, jsonl/ and parquet/.
import { createRequire } from 'node:module'
import { readdirSync } from 'node:fs'
const { DuckDBInstance } = createRequire(process.argv[2] + '/x.js')(
    '@duckdb/node-api')
const db = await (await DuckDBInstance.create(':memory:')).connect()
const query = async (sql) => (await db.runAndReadAll(sql)).getRowObjects()
for (const file of readdirSync('parquet')) {
    const name = file.replace('.parquet', '')
    const columns = await query(`DESCRIBE SELECT * FROM 'parquet/${file}'`)
    const list = columns.map((c) => `"${c.column_name}"`).join()
    const typed = (what, type) => what.map((c) => `'${c.column_name}': '${
        c.column_type === 'TIMESTAMP_NS' ? 'VARCHAR' : type(c)}'`).join()
    const times = columns.filter((c) => c.column_type === 'TIMESTAMP_NS')
    const cells = (source) => `(SELECT * ${times.length ? `REPLACE (${
        times.map((c) => `rtrim("${c.column_name}", 'Z')::TIMESTAMP_NS AS "${
            c.column_name}"`)})` : ''} FROM ${source})`
    const csv = cells(`read_csv('csv/${name}.csv', header = true, delim = ',',
        quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false,
        columns = {${typed(columns, (c) => c.column_type)}})`)
    const json = cells(`read_json('jsonl/${name}.jsonl', format = 'nd',
        columns = {${typed(columns, (c) => c.column_type)}})`)
    for (const [what, other] of [['csv', csv], ['jsonl', json]]) {
        const [x] = await query(`SELECT
            (SELECT count(*) FROM (SELECT ${list} FROM 'parquet/${file}'
                EXCEPT ALL SELECT ${list} FROM ${other})) AS less,
            (SELECT count(*) FROM (SELECT ${list} FROM ${other}
                EXCEPT ALL SELECT ${list} FROM 'parquet/${file}')) AS more`)
        if (x.less || x.more)
            console.error(`${name}: ${what} lacks ${x.less} rows of Parquet's` +
                ` and has ${x.more} others`)
    }
    const [{ n }] = await query(`SELECT count(*) AS n FROM 'parquet/${file}'`)
    console.log(`${name} ${n}`)
}
END

ex -f parquet -o parquet/
ex -f csv -o csv/
ex -f jsonl -o jsonl/
node same.mjs "$npm" >counts 2>differ || fail "DuckDB refuses: $(cat differ)"
[ ! -s differ ] || fail "$(cat differ)"

# As many rows as the database has.
sql() { # table, condition
    sqlite3 t.db "SELECT count(*) FROM $1 WHERE run = 1"
}
while read -r table n; do
    case $table in
    runs) want=1 ;;
    *) want=$(sql "$table" 2>/dev/null || echo "$n") ;;
    esac
    [ "$n" -eq "$want" ] || fail "$table has $n rows, not $want"
done <counts
grep -q '^inferences 53$' counts || fail "the inferences are missing"
# Timelines are kept of the first four inferences, then of ever fewer.
grep -q '^operator_runs 21$' counts || fail "operators are missing"
cmp <("$ortmeter" export --db t.db -f csv --table tokens) csv/tokens.csv ||
    fail "one table by itself is another"

# Packed is the same.
ex -f csv -z -o packed/
for file in csv/*; do
    cmp <(gzip -dc "packed/${file#csv/}.gz") "$file" || fail "$file, packed"
done
for codec in gzip none; do
    rm -rf parquet
    ex -f parquet --codec "$codec" -o parquet/
    node same.mjs "$npm" >again 2>differ || fail "$codec: $(cat differ)"
    cmp again counts || fail "$codec: other rows"
done
ex -f parquet -o one.parquet
[ "$(head -c 4 one.parquet)" = PAR1 ] || fail "one file is no Parquet"

# --- JSON, there and back ----------------------------------------------------

ex -f json -o a.json
jq -e '.run.run_id and (.power_samples | type) == "array" and
    (.pipeline_sections[0] | has("section_name") and has("duration_ms")) and
    (.tokens | length) == 53 and .tokens[0].layers == [] and
    (.run.host | type) == "object" and (.inferences | length) == 53' a.json \
    >/dev/null || fail "the document has another shape"
"$ortmeter" import --db u.db a.json >out 2>err || fail "$(cat err)"
"$ortmeter" export --db u.db -f json -o b.json
cmp a.json b.json || fail "JSON is not the same after import"
cmp <("$ortmeter" report --db t.db --json) <("$ortmeter" report --db u.db \
    --json) || fail "the report is another after import"
ex -f json -z -o a.json.gz
jq . a.json >c.json # set otherwise, it is the same run
for file in a.json.gz c.json; do
    rm -f v.db
    "$ortmeter" import --db v.db "$file" >out 2>err || fail "$(cat err)"
    [ "$file" = c.json ] || cmp <("$ortmeter" export --db v.db -f json) a.json ||
        fail "$file is another run"
done

refuse() { # file, word
    rc=0
    "$ortmeter" import --db w.db "$1" >out 2>err || rc=$?
    refused 1 "$2"
    [ ! -e w.db ] || [ "$("$ortmeter" list --db w.db --json 2>/dev/null |
        jq '.runs | length')" = 0 ] || fail "$1 left a run behind"
}
rc=0
"$ortmeter" import --db u.db a.json >out 2>err || rc=$?
refused 1 'already'
head -c 50000 a.json >cut.json
refuse cut.json 'end is missing'
sed 's/"duration_ns": [0-9]*,/"duration_ns": "x",/' a.json >typed.json
refuse typed.json "'duration_ns' is no int64"
sed 's/"schema_version": 1/"schema_version": 9/' a.json >newer.json
refuse newer.json 'newer'
sed '0,/"session": 1,/s///' a.json >less.json
refuse less.json "'session' is missing"
sed '0,/"process": 1,/s//"process": -1,/' a.json >least.json
refuse least.json 'out of range'
sed 's/"run_id": "[^"]*"/"run_id": "1"/' a.json >nobody.json
refuse nobody.json 'no id'
sed '$d' a.json | sed '$s/$/ ,}/' >broken.json
refuse broken.json 'no JSON'

# --- the data models ---------------------------------------------------------

ex -f json --shape inference-events -o shape.json
jq -e 'length == 53 and all(.[]; (.timestamp_ns > 1e18) and .model_name == "mlp"
    and (.latency | .end_to_end_ms > 0 and .percentiles.p50 > 0))' \
    shape.json >/dev/null || fail "the inference events have another shape"
ex -f json --shape operations -o shape.json
jq -e 'length == 21 and all(.[]; .operation_id and .operation_type and
    .provider and .start_time_ns and .duration_ms and .input_shapes[0][0])' \
    shape.json >/dev/null || fail "the operations have another shape"
# A program that is over before anybody looks has no memory; this one lasts.
"$ortmeter" run --quiet --ops off --db lasting.db -- "$programs/sections" \
    "$models/mlp.onnx" 20000 >out 2>err || fail "the program failed"
"$ortmeter" export --db lasting.db -f json --shape system -o shape.json \
    2>err || fail "$(cat err)"
jq -e 'type == "array" and any(.[]; .process_memory_mb > 1) and
    all(.[]; .timestamp_ns > 1e18 and (keys - ["timestamp_ns", "cpu_percent",
    "memory_percent", "gpu_percent", "npu_percent", "gpu_memory_mb",
    "process_memory_mb"] == []))' shape.json >/dev/null ||
    fail "the system's figures have another shape"

# --- reports -----------------------------------------------------------------

need_tool python3
ex -f junit -o run.xml
ex -f html -o run.html
ex -f markdown -o run.md
python3 - <<'END' || fail "a report is not sound"
import html.parser, re, xml.etree.ElementTree as tree

suite = tree.parse('run.xml').getroot().find('testsuite')
assert len(suite.findall('testcase')) == int(suite.get('tests')) == 3
assert not suite.findall('.//failure')

class Page(html.parser.HTMLParser):
    open, seen = [], []
    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        assert not {'src', 'href', 'onload'} & {name for name, _ in attrs}, tag
        if tag not in ('meta', 'path', 'circle', 'rect'):
            self.open.append(tag)
    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

text = open('run.html', encoding='utf-8').read()
page = Page()
page.feed(text)
assert not page.open and page.seen.count('svg') == 3, page.open
assert 'script' not in page.seen and 'http:' not in text
assert 'https:' not in text and 'one &quot;quoted&quot;' in text
lines = open('run.md', encoding='utf-8').read().splitlines()
assert lines[0].startswith('# ortmeter run')
for above, line in zip(lines, lines[1:]):
    if line.startswith('|') and above.startswith('|'):
        assert len(re.findall(r'(?<!\\)\|', line)) == \
            len(re.findall(r'(?<!\\)\|', above)), line
END

# --- what cannot be ----------------------------------------------------------

refuse_export() { # exit code, word, arguments...
    rc=0
    "$ortmeter" export --db t.db "${@:3}" >out 2>err || rc=$?
    refused "$1" "$2"
}
refuse_export 2 'no format' -f nothing
refuse_export 2 'no tables' -f html --table runs
refuse_export 2 "no table 'none'" -f csv --table none
refuse_export 2 'no shape' -f csv --shape system
refuse_export 2 'no pages' -f csv --codec gzip
refuse_export 2 'is a folder' -f json -o parquet
refuse_export 1 'none/x' -f csv -o none/x
echo kept >kept.csv
refuse_export 1 'No space left' -f csv -o /dev/full
refuse_export 1 'no run' -f csv -o kept.csv nowhere
[ "$(cat kept.csv)" = kept ] || fail "a file that was there is lost"
