// parquet.mjs NODE_MODULES FOLDER ROWS -- reads the table that made_table wrote
// in FOLDER (table.parquet, table.csv, table.jsonl) with DuckDB and hyparquet,
// and compares every cell, type, absence and statistic with what the rows'
// numbers say.  Prints nothing when all is well.  Of more than a million rows
// only table.parquet is looked at: hashes of all its cells, by DuckDB, and the
// last rows by hyparquet.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const [modules, folder, count] = process.argv.slice(2)
const rows = Number(count)
const many = rows > 1000000
const require = createRequire(modules + '/x.js')
const { DuckDBInstance } = require('@duckdb/node-api')
const load = async (path) => import(pathToFileURL(`${modules}/${path}`).href)
const hyparquet = await load('hyparquet/src/node.js')
const { compressors } = await load('hyparquet-compressors/src/index.js')
const file = `${folder}/table.parquet`
let failures = 0

const check = (what, got, want) => {
    if (got === want || (Number.isNaN(got) && Number.isNaN(want))) return
    if (++failures < 20) console.error(`${what}: ${got}, not ${want}`)
}

const db = await (await DuckDBInstance.create(':memory:')).connect()
const query = async (sql) =>
    (await db.runAndReadAll(sql)).getRowObjects()
await db.run('SET preserve_insertion_order = true')

// --- what the cells are, by DuckDB's own arithmetic --------------------------

const types = {
    n: 'BIGINT', wild: 'BIGINT', part: 'BIGINT', none: 'BIGINT',
    real: 'DOUBLE', odd: 'DOUBLE', no_real: 'DOUBLE',
    flag: 'BOOLEAN', some_flag: 'BOOLEAN',
    word: 'VARCHAR', some_word: 'VARCHAR', every: 'VARCHAR', no_word: 'VARCHAR',
    time: 'TIMESTAMP_NS', some_time: 'TIMESTAMP_NS',
}
const names = Object.keys(types)
const required = ['n', 'wild', 'real', 'flag', 'word', 'time']
await db.run(`CREATE TABLE wanted AS SELECT
    n,
    CASE WHEN n % 5 = 0 AND n % 2 = 1 THEN -9223372036854775808
        WHEN n % 5 = 0 THEN 9223372036854775807
        ELSE n * 2654435761 - 1000000000 END::BIGINT AS wild,
    CASE WHEN n % 3 <> 0 THEN n * n - 1000 END AS part,
    NULL::BIGINT AS "none",
    n / 8 - 1000 AS "real",
    CASE WHEN n % 11 = 0 THEN NULL WHEN n % 7 = 0 THEN 'nan'::DOUBLE
        WHEN n % 13 = 0 THEN if(n % 2 = 1, 'inf', '-inf')::DOUBLE
        WHEN n % 17 = 0 THEN -0.0::DOUBLE ELSE n / 3 END AS odd,
    NULL::DOUBLE AS no_real,
    n % 2 = 1 AS flag,
    CASE WHEN n % 4 <> 1 THEN n % 3 = 0 END AS some_flag,
    'word ' || n % 10 AS word,
    CASE WHEN n % 2 = 0 THEN
        if(n % 5 = 0, '', 'wö,rd "' || n % 100 || '"') END AS some_word,
    CASE WHEN n % 1000 <> 999 THEN
        'row ' || n || chr(10) || repeat('0', 24) END AS every,
    NULL::VARCHAR AS no_word,
    make_timestamp_ns(1700000000000000000 + n * 1000003) AS "time",
    CASE WHEN n % 2 = 1 THEN make_timestamp_ns(1000000007 * n) END AS some_time
    FROM (SELECT range::BIGINT AS n FROM range(${rows}))`)

const list = names.map((c) => `"${c}"`).join()
const same = async (what, source) => {
    if (many) {
        const sum = async (from) => (await query(`SELECT
            count(*) AS rows, sum(hash(${list})::HUGEINT) AS sum FROM ${from}`)
            ).map((x) => `${x.rows} rows, ${x.sum}`)[0]
        check(`${what}: hashes`, await sum(source), await sum('wanted'))
        return
    }
    const [a] = await query(`SELECT count(*) AS n FROM (SELECT ${list} FROM
        wanted EXCEPT ALL SELECT ${list} FROM ${source})`)
    const [b] = await query(`SELECT count(*) AS n FROM (SELECT ${list} FROM
        ${source} EXCEPT ALL SELECT ${list} FROM wanted)`)
    check(`${what}: rows that are missing`, a.n, 0n)
    check(`${what}: rows that are too many`, b.n, 0n)
}

// --- DuckDB ------------------------------------------------------------------

const described = await query(`DESCRIBE SELECT * FROM '${file}'`)
check('columns', described.map((c) => c.column_name).join(), names.join())
for (const c of described)
    check(`type of ${c.column_name}`, c.column_type, types[c.column_name])
for (const c of await query(`SELECT * FROM parquet_schema('${file}')`))
    if (c.name in types)
        check(`repetition of ${c.name}`, c.repetition_type,
            required.includes(c.name) ? 'REQUIRED' : 'OPTIONAL')
await same('parquet', `'${file}'`)
const order = await query(`SELECT count(*) AS n FROM (SELECT n,
    row_number() OVER () - 1 AS place FROM '${file}') WHERE n <> place`)
check('rows out of order', order[0].n, 0n)

if (!many) {
    const times = names.filter((c) => types[c] === 'TIMESTAMP_NS')
    const columns = names.map((c) =>
        `'${c}': '${times.includes(c) ? 'VARCHAR' : types[c]}'`)
    await db.run(`CREATE VIEW csv AS SELECT * REPLACE (${times.map((c) =>
        `rtrim("${c}", 'Z')::TIMESTAMP_NS AS "${c}"`)}) FROM
        read_csv('${folder}/table.csv', header = true, delim = ',', quote = '"',
            escape = '"', nullstr = '', allow_quoted_nulls = false,
            columns = {${columns}})`)
    await same('csv', 'csv')
}

// --- statistics, of each column in each row group ----------------------------

// DuckDB shows no bound that is infinite; hyparquet does.
const footer = await hyparquet.parquetMetadataAsync(
    await hyparquet.asyncBufferFromFile(file))
const bound = (m, key) => {
    const chunk = footer.row_groups[Number(m.g)].columns.find(
        (x) => x.meta_data.path_in_schema[0] === m.c).meta_data
    const found = chunk.statistics[key]
    return m[key.slice(0, 3)] ?? (Math.abs(found) === Infinity
        ? String(found) : null)
}
await db.run(`CREATE TABLE chunks AS SELECT row_group_id AS g,
    path_in_schema AS c, stats_min_value AS min, stats_max_value AS max,
    stats_null_count AS nulls, num_values AS cells,
    row_group_num_rows AS size FROM parquet_metadata('${file}')`)
await db.run(`CREATE TABLE groups AS SELECT g, size, coalesce(sum(size) OVER
    (ORDER BY g ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS begin
    FROM (SELECT DISTINCT g, size FROM chunks)`)
for (const c of many ? ['n', 'part', 'every'] : names) {
    const real = types[c] === 'DOUBLE'
    const bounded = real ? `FILTER (WHERE NOT isnan("${c}"))` : ''
    const plain = (x) => x === null || !real ? x : String(Number(x.replace(
        /inf$/, 'Infinity')) + 0)
    for (const x of await query(`SELECT w.*, k.min, k.max, k.nulls, k.cells
        FROM (SELECT g, size, (min("${c}") ${bounded})::VARCHAR AS least,
            (max("${c}") ${bounded})::VARCHAR AS most,
            count(*) FILTER (WHERE "${c}" IS NULL) AS absent
            FROM wanted JOIN groups ON n >= begin AND n < begin + size
            GROUP BY ALL) w JOIN chunks k ON k.g = w.g AND k.c = '${c}'`)) {
        const what = `group ${x.g}, ${c}`
        x.c = c
        check(`${what}: cells`, x.cells, x.size)
        check(`${what}: nulls`, x.nulls, x.absent)
        check(`${what}: least`, plain(bound(x, 'min_value')), plain(x.least))
        check(`${what}: greatest`, plain(bound(x, 'max_value')), plain(x.most))
    }
}
const [whole] = await query(`SELECT num_rows AS n, created_by AS by FROM
    parquet_file_metadata('${file}')`)
check('rows in the footer', whole.n, BigInt(rows))
check('created by', whole.by.startsWith('ortmeter version '), true)

// --- hyparquet and JSON, cell by cell, by JavaScript's arithmetic ------------

const big = (x, bits = 64) => BigInt.asIntN(bits, x)
const cells = (i) => {
    const n = BigInt(i)
    const some = (there, value) => there ? value : null
    return {
        n,
        wild: i % 5 ? big(n * 2654435761n - 1000000000n)
            : i % 2 ? -(2n ** 63n) : 2n ** 63n - 1n,
        part: some(i % 3, n * n - 1000n),
        none: null,
        real: i / 8 - 1000,
        odd: some(i % 11, i % 7 === 0 ? NaN : i % 13 === 0
            ? (i % 2 ? Infinity : -Infinity) : i % 17 === 0 ? 0 : i / 3),
        no_real: null,
        flag: i % 2 === 1,
        some_flag: some(i % 4 !== 1, i % 3 === 0),
        word: `word ${i % 10}`,
        some_word: some(i % 2 === 0, i % 5 ? `wö,rd "${i % 100}"` : ''),
        every: some(i % 1000 !== 999, `row ${i}\n${'0'.repeat(24)}`),
        no_word: null,
        time: 1700000000000000000n + n * 1000003n,
        some_time: some(i % 2, 1000000007n * n),
    }
}
const isTime = (c) => types[c] === 'TIMESTAMP_NS'

// All rows, of as many columns as their number allows.
const shown = !many && rows > 10000 ? ['n', 'part', 'some_word', 'every'] : names
const from = many ? rows - 10000 : 0
const seen = await hyparquet.parquetReadObjects({ compressors, columns: shown,
    rowStart: from, rowEnd: rows,
    file: await hyparquet.asyncBufferFromFile(file) })
check('rows by hyparquet', seen.length, rows - from)
for (let i = from; i < rows; i++) {
    const want = cells(i)
    for (const c of shown) {
        const got = seen[i - from][c] ?? null
        if (isTime(c) && got !== null) // a Date has milliseconds only
            check(`hyparquet ${i} ${c}`, got.getTime(),
                Number(want[c] / 1000000n))
        else // a zero has either sign
            check(`hyparquet ${i} ${c}`, got === 0 ? 0 : got, want[c])
    }
}

const stamp = (ns) => new Date(Number(ns / 1000000000n) * 1000).toISOString()
    .replace('.000Z', `.${String(ns % 1000000000n).padStart(9, '0')}Z`)
const json = (value, c) => value === null || isTime(c) ? value && stamp(value)
    : typeof value === 'bigint' ? String(value)
    : typeof value === 'number' && !Number.isFinite(value) ? null : value
if (rows <= 10000) {
    const lines = readFileSync(`${folder}/table.jsonl`, 'utf8').split('\n')
    check('lines of JSON', lines.length, rows + 1)
    for (let i = 0; i < rows; i++) {
        // Whole numbers that JavaScript's would round are kept as texts.
        const line = JSON.parse(lines[i].replace(
            /"(n|wild|part)":(-?\d+)/g, '"$1":"$2"'))
        const want = cells(i)
        for (const c of names)
            check(`JSON ${i} ${c}`, line[c] === 0 ? 0 : line[c] ?? null,
                json(want[c], c))
    }
}
process.exit(failures ? 1 : 0)
