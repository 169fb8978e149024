// receiver.cjs FOLDER MODE... -- takes what is posted to it and keeps each body
// that it accepts in FOLDER as NUMBER.PATH, unpacked.  Each MODE is for one request, the last
// one for all others:
//     good        200
//     STATUS      that, with Retry-After: 1 where it is 429
//     partial     200, and refuses 7 of it
//     garbage     200, and a megabyte of noise
//     broken      closes the connection
//     silent      never answers
// Prints its port when it listens, and a line for each request: its number, its
// path, its mode, and what its headers say.
'use strict';
const fs = require('node:fs');
const http = require('node:http');
const zlib = require('node:zlib');
const [folder, ...modes] = process.argv.slice(2);
let count = 0;

function unpacked(body, encoding) {
    return encoding === 'gzip' ? zlib.gunzipSync(body) : body;
}

// ExportMetricsServiceResponse{1 partial_success{1 rejected, 2 message}}
const partial = Buffer.from([10, 6, 8, 7, 18, 2, 110, 111]);

function answer(mode, request, response) {
    if (mode === 'silent')
        return;
    if (mode === 'broken') {
        request.socket.destroy();
        return;
    }
    const status = Number(mode) || 200;
    const headers = { 'Content-Type': request.headers['content-type'] ?? '' };
    if (status === 429)
        headers['Retry-After'] = '1';
    response.writeHead(status, headers);
    if (mode === 'garbage')
        response.end(Buffer.alloc(1 << 20, 0xa5));
    else
        response.end(mode === 'partial' ? partial : undefined);
}

const server = http.createServer((request, response) => {
    const number = ++count;
    const mode = modes[Math.min(number, modes.length) - 1];
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
        const { 'content-encoding': encoding, 'content-type': type } =
            request.headers;
        const name = request.url.replaceAll('/', '_');
        if (['good', 'partial', 'garbage'].includes(mode))
            fs.writeFileSync(`${folder}/${number}.${name}`,
                unpacked(Buffer.concat(pieces), encoding));
        console.log(number, request.url, mode, encoding, type,
            request.headers['x-token'] ?? '-');
        answer(mode, request, response);
    });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
