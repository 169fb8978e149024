// infer.cjs -- an ordinary node program that runs a model.
//
//     node infer.cjs ORT MODEL COUNT INPUT...
//
// ORT is the folder of onnxruntime-node; inputs are as in tensor.cjs.  A MODEL
// that begins with "memory:" is read by us and given as bytes.  Prints a
// checksum over all outputs.
'use strict';
const [where, model, count, ...specs] = process.argv.slice(2);
const fs = require('node:fs');
const ort = require(where);
const tensor = require('./tensor.cjs');

function mix(sum, bytes) {
    for (const b of bytes)
        sum = Math.imul(sum ^ b, 0x01000193);
    return sum;
}

async function main() {
    const source = model.startsWith('memory:')
        ? fs.readFileSync(model.slice('memory:'.length)) : model;
    const session = await ort.InferenceSession.create(
        source, {intraOpNumThreads: 1, logSeverityLevel: 3});
    const feeds = Object.fromEntries(specs.map((s) => tensor(ort, s)));
    let sum = 0x811c9dc5;
    for (let i = 0; i < Number(count); i++) {
        const outputs = await session.run(feeds);
        for (const name of session.outputNames) {
            const {data} = outputs[name];
            sum = mix(sum, new Uint8Array(
                data.buffer, data.byteOffset, data.byteLength));
        }
    }
    console.log(`infer ${count} ${(sum >>> 0).toString(16)}`);
}

main().catch((e) => { console.error(e.message); process.exitCode = 1; });
