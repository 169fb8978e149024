// serve_fuzz.cjs -- damaged requests and frames, through the server's own
// parsers, always the same ones.
//
//     node serve_fuzz.cjs PORT TOKEN RUN COUNT
//
// Each is one that was sound, with bytes changed, doubled, taken out or put in;
// it is sent in pieces, and the connection closed at some point.  What is
// answered must be HTTP, and no status of 500 or more.
'use strict';
const net = require('node:net');
const [port, token, run, count] = process.argv.slice(2);
let seed = 20;
const statuses = {};

function random(n) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor(seed / 4294967296 * n);
}

const head = `Host: 127.0.0.1:${port}\r\n`;
const bearer = head + `Authorization: Bearer ${token}\r\n`;
const body = '{"paused":true,"rate_hz":10,"ops":"auto"}';
const upgrade = 'GET /ws/metrics HTTP/1.1\r\n' + head +
    'Connection: Upgrade\r\nUpgrade: websocket\r\n' +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: ortmeter.v1\r\n' +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
const requests = [
    `GET /api/profiling/runs?limit=5&q=a%20b HTTP/1.1\r\n${head}\r\n`,
    `GET /metrics/history?metric=host_busy_ratio&agg=p95 HTTP/1.1\r\n${head}` +
        `Accept-Encoding: gzip\r\n\r\n`,
    `HEAD /api/system HTTP/1.1\r\n${bearer}\r\n`,
    `OPTIONS /metrics HTTP/1.1\r\n${head}Origin: http://127.0.0.1:${port}\r\n` +
        'Access-Control-Request-Method: GET\r\n\r\n',
    `POST /api/profiling/run/${run}/control HTTP/1.1\r\n${bearer}` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}` +
        `\r\n\r\n${body}`,
    `PATCH /api/profiling/run/${run} HTTP/1.1\r\n${bearer}Content-Type: ` +
        'application/json\r\nContent-Length: 13\r\n\r\n{"note":"abc"}',
    `GET /assets/../../etc/passwd HTTP/1.1\r\n${head}\r\n`,
    `GET / HTTP/1.1\r\n${head}\r\nGET /healthz HTTP/1.1\r\n${head}\r\n`,
    upgrade,
].map((text) => Buffer.from(text, 'latin1'));

function frame(text) {
    const bytes = Buffer.from(text), mask = [1, 2, 3, 4];
    const first = bytes.length < 126 ? [0x81, 0x80 | bytes.length]
        : [0x81, 0xfe, bytes.length >> 8, bytes.length & 255];
    return Buffer.from([...first, ...mask,
        ...bytes.map((b, i) => b ^ mask[i & 3])]);
}

const frames = [
    '{"type":"subscribe","id":"a","metrics":["*"],"events":["inference"],' +
        '"runs":["live"],"rate_hz":10,"buckets":true}',
    '{"type":"subscribe","id":"b","events":["system"],"after":{"' + run +
        '":1}}',
    '{"type":"ping","t":5}', '{"type":"unsubscribe","id":"a"}',
].map(frame);

function damage(bytes) {
    let list = [...bytes];
    for (let n = random(4); n >= 0; n--) {
        const at = random(list.length), len = 1 + random(8);
        const how = random(6);
        if (how === 0)
            list[at] = random(256);
        else if (how === 1)
            list.splice(at, len);
        else if (how === 2)
            list.splice(at, 0, ...list.slice(at, at + len));
        else if (how === 3)
            list.splice(at, 0, ...[[13, 10], [0], [0xc0, 0xaf], [37, 50, 101],
                [58], [32], [13, 10, 13, 10]][random(7)]);
        else if (how === 4)
            list = list.slice(0, at + 1);
        else
            list[at] ^= 1 << random(8);
    }
    return Buffer.from(list);
}

function once(pieces) {
    return new Promise((done) => {
        const socket = net.connect(port, '127.0.0.1');
        let got = '';
        const patience = setTimeout(() => socket.destroy(), 300);
        socket.on('data', (data) => { got += data.toString('latin1'); });
        socket.on('error', () => {});
        socket.on('close', () => {
            clearTimeout(patience);
            done(got);
        });
        for (const piece of pieces)
            socket.write(piece);
        if (random(4) === 0)
            socket.end();
    });
}

async function one() {
    const pieces = [];
    if (random(3) === 0) {
        pieces.push(requests[requests.length - 1]);
        for (let n = random(5); n >= 0; n--)
            pieces.push(damage(frames[random(frames.length)]));
    } else {
        const bytes = damage(requests[random(requests.length)]);
        const cut = random(bytes.length);
        pieces.push(bytes.subarray(0, cut), bytes.subarray(cut));
    }
    const got = await once(pieces);
    const status = got ? /^HTTP\/1\.[01] (\d{3}) /.exec(got)?.[1] : 'closed';
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (!status || Number(status) >= 500) {
        console.log(JSON.stringify(Buffer.concat(pieces).toString('latin1')));
        console.log(JSON.stringify(got.slice(0, 300)));
        process.exitCode = 1;
    }
}

async function main() {
    for (let i = 0; i < Number(count); i += 32)
        await Promise.all(Array.from({length: 32}, one));
    console.log(JSON.stringify(statuses));
}

main();
