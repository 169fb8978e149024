// workers.cjs -- two worker threads, COUNT inferences each:
// node workers.cjs ORT MODEL COUNT (silero's inputs).
'use strict';
const {Worker, isMainThread, workerData} = require('node:worker_threads');

async function work([where, model, count]) {
    const ort = require(where);
    const session = await ort.InferenceSession.create(model);
    const feeds = {
        input: new ort.Tensor('float32', new Float32Array(512), [1, 512]),
        state: new ort.Tensor('float32', new Float32Array(256), [2, 1, 128]),
        sr: new ort.Tensor('int64', new BigInt64Array([16000n]), []),
    };
    for (let i = 0; i < Number(count); i++)
        await session.run(feeds);
}

function start() {
    const worker = new Worker(__filename, {workerData: process.argv.slice(2)});
    worker.on('error', (e) => { console.error(e); process.exitCode = 1; });
    worker.on('exit', () => console.log('a worker is done'));
}

if (isMainThread) {
    start();
    start();
} else {
    work(workerData);
}
