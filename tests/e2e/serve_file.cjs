// serve_file.cjs FILE TYPE -- answers every request with a file.  Prints its
// port when it listens.
'use strict';
const fs = require('node:fs');
const http = require('node:http');
const [file, type] = process.argv.slice(2);
const server = http.createServer((_, response) => {
    response.setHeader('Content-Type', type);
    response.end(fs.readFileSync(file));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
