// until.cjs -- runs a model again and again until a file is there.
//
//     node until.cjs ORT MODEL END COUNT INPUT...
//
// END is that file.  Into the file COUNT goes how many inferences there were,
// every now and then and at the end.
'use strict';
const [where, model, end, counted, ...specs] = process.argv.slice(2);
const fs = require('node:fs');
const ort = require(where);
const tensor = require('./tensor.cjs');

function tell(count) {
    fs.writeFileSync(counted + '.new', String(count));
    fs.renameSync(counted + '.new', counted);
}

async function main() {
    const session = await ort.InferenceSession.create(
        model, {intraOpNumThreads: 1, logSeverityLevel: 3});
    const feeds = Object.fromEntries(specs.map((s) => tensor(ort, s)));
    let count = 0;
    while (!fs.existsSync(end)) {
        for (let i = 0; i < 20; i++, count++)
            await session.run(feeds);
        tell(count);
        await new Promise((done) => setTimeout(done, 5));
    }
    tell(count);
}

main().catch((e) => { console.error(e.message); process.exitCode = 1; });
