// chdb_server.cjs FOLDER DATA -- today's ClickHouse, as far as the meter speaks
// to it: its engine, from npm's chdb in FOLDER, behind HTTP.  The engine has no
// HTTP of its own, so users and network settings are not tested by this.
// Prints its port.
const fs = require('fs');
const http = require('http');
const path = require('path');

const [folder, data] = process.argv.slice(2);
const { Session } = require(path.join(folder, 'chdb'));
const session = new Session(data);
let files = 0;

session.query('CREATE DATABASE m');
session.query('USE m');

// The engine takes rows from a file, of which it must be told the types.
function insert(sql, rows) {
    const [, table, list] = /^INSERT INTO `(\w+)` \((.*)\) FORMAT RowBinary$/
        .exec(sql);
    const types = new Map(session.query(`SELECT name, type FROM system.columns
        WHERE database = 'm' AND table = '${table}'`, 'TSVRaw').trim()
        .split('\n').map((line) => line.split('\t')));
    const columns = list.split(', ').map((name) =>
        `${name} ${types.get(name.replace(/`/g, ''))}`).join(', ');
    const file = path.join(data, `rows${files++}`);

    fs.writeFileSync(file, rows);
    session.query(`INSERT INTO \`${table}\` (${list}) SELECT *
        FROM file('${file}', 'RowBinary', '${columns}')`);
    fs.unlinkSync(file);
}

async function select(sql) {
    const binary = sql.endsWith(' FORMAT RowBinary');
    const result = await session.queryAsync(
        binary ? sql.replace(/ FORMAT RowBinary$/, '') : sql,
        { format: binary ? 'RowBinary' : 'TSV' });

    return Buffer.from(result.bytes());
}

async function answer(request, body) {
    const sql = new URL(request.url, 'http://localhost').searchParams
        .get('query');

    if (sql)
        return insert(sql, body) ?? '';
    return select(body.toString());
}

const server = http.createServer((request, response) => {
    const pieces = [];

    request.on('data', (piece) => pieces.push(piece));
    request.on('end', async () => {
        try {
            response.end(await answer(request, Buffer.concat(pieces)));
        } catch (error) {
            response.statusCode = 500;
            response.end(error.message);
        }
    });
});

server.listen(0, '127.0.0.1', () => console.log(server.address().port));
