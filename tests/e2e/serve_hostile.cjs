// serve_hostile.cjs -- connections that no client of good will makes: each is
// refused or closed, and the server answers others all the while.
//
//     node serve_hostile.cjs PORT TOKEN RUN
'use strict';
const assert = require('node:assert/strict');
const net = require('node:net');
const [port, token, run] = process.argv.slice(2);
const host = `Host: 127.0.0.1:${port}\r\n`;
const get = (path, more = '') => `GET ${path} HTTP/1.1\r\n${host}${more}\r\n`;
const health = get('/healthz', 'Connection: close\r\n');
const post = `POST /api/profiling/run/${run}/control HTTP/1.1\r\n${host}` +
    `Authorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;

/** Sends, and gives what was answered until the server closed.  `drip`: that
 * byte again and again, as long as it takes. */
function ask(text, drip) {
    return new Promise((done) => {
        const socket = net.connect(port, '127.0.0.1');
        let got = '';
        const timer = drip &&
            setInterval(() => socket.write(drip), 200);
        socket.on('data', (data) => { got += data.toString('latin1'); });
        socket.on('error', () => {});
        socket.on('close', () => {
            clearInterval(timer);
            done(got);
        });
        socket.write(text, 'latin1');
    });
}

const statusesOf = (got) =>
    [...got.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map((m) => Number(m[1]));

/** The server has closed; the first status, if any, is one of these. */
async function refuses(what, text, ...statuses) {
    const [status] = statusesOf(await ask(text));
    assert.ok(status === undefined || statuses.includes(status),
        `${what}: ${status}`);
}

async function isServing() {
    assert.deepEqual(statusesOf(await ask(health)), [200], 'it serves others');
}

async function main() {
    // Slowloris: heads and a body that never end, a hundred at a time.
    const slow = [];
    for (let i = 0; i < 50; i++) {
        slow.push(ask(`GET /metrics HTTP/1.1\r\n${host}X-Slow: `, 'a'));
        slow.push(ask(`${post}Content-Length: 100000\r\n\r\n`, ' '));
    }
    await isServing();
    for (const got of await Promise.all(slow))
        assert.ok(!statusesOf(got).includes(200), got);
    await isServing();

    // Too large.
    const long = 'a'.repeat(20000);
    await refuses('a long header', get('/metrics', `X-Long: ${long}\r\n`), 431);
    await refuses('a long address', get(`/metrics?run=${long}`), 414, 431);
    await refuses('a thousand headers',
        get('/metrics', 'X-Many: some of very many\r\n'.repeat(1000)), 431);

    // Two requests in one: at most as many answers, and no third.
    const statuses = statusesOf(await ask(get('/healthz') + health));
    assert.ok(statuses.length <= 2 && statuses.every((s) => s === 200),
        `pipelined: ${statuses}`);
    // What one server takes for a body, another may take for a request.
    const within = get('/api/system');
    for (const lengths of ['Content-Length: 0\r\nTransfer-Encoding: chunked\r\n',
        'Transfer-Encoding: chunked\r\n', 'Content-Length: -1\r\n',
        'Content-Length: 0x10\r\n']) {
        const got = await ask(`${post}${lengths}\r\n${within}`);
        assert.ok(!got.includes('ortmeter_version'), `${lengths}: ${got}`);
    }

    // A line end in a value stays in it: no header of somebody else's making.
    for (const path of ['/metrics?run=%0d%0aSet-Cookie:%20a=b',
        '/%0d%0aSet-Cookie:%20a=b', `/api/profiling/export/${run}` +
            '?format=%0d%0aSet-Cookie:%20a=b']) {
        const got = await ask(get(path, 'Connection: close\r\n'));
        assert.ok(!/^set-cookie/im.test(got), got);
        assert.ok(statusesOf(got).every((s) => s >= 400), `${path}: ${got}`);
    }
    await refuses('two hosts', get('/metrics', 'Host: evil.example\r\n' +
        'Connection: close\r\n'), 400, 421);
    await refuses('no host', 'GET /metrics HTTP/1.1\r\nConnection: close\r\n' +
        '\r\n', 400, 421);
    await refuses('another protocol', '\x16\x03\x01\x02\x00\x01', 400);
    await isServing();
    console.log('all refused');
}

main().catch((e) => { console.error(e); process.exitCode = 1; });
