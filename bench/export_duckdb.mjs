// export_duckdb.mjs NODE_MODULES FOLDER ROUNDS -- how fast DuckDB itself writes
// the table that bench/export left in FOLDER, as Parquet (zstd) and CSV: with
// all cores, and with one, which is what ours uses.
import { createRequire } from 'node:module'

const [modules, folder, rounds] = process.argv.slice(2)
const { DuckDBInstance } = createRequire(modules + '/x.js')('@duckdb/node-api')
const db = await (await DuckDBInstance.create(':memory:')).connect()
await db.run(`CREATE TABLE t AS SELECT * FROM '${folder}/bench.parquet'`)
const [{ n }] = (await db.runAndReadAll('SELECT count(*) AS n FROM t'))
    .getRowObjects()
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1]

const rate = async (options) => {
    const times = []
    for (let i = 0; i < Number(rounds); i++) {
        const start = process.hrtime.bigint()
        await db.run(`COPY t TO '${folder}/duckdb.out' (${options})`)
        times.push(Number(process.hrtime.bigint() - start) / 1e9)
    }
    return Math.round(Number(n) / median(times))
}

const out = { rows: Number(n) }
for (const [name, threads] of [['one_core', 1], ['all_cores', 0]]) {
    if (threads) await db.run(`SET threads = ${threads}`)
    else await db.run('RESET threads')
    out[name] = {
        parquet_rows_per_s: await rate('FORMAT parquet, COMPRESSION zstd'),
        csv_rows_per_s: await rate('FORMAT csv, HEADER'),
    }
}
console.log(JSON.stringify(out))
