// sessions.cjs -- sessions of one model, one after another; every second one is
// released at once.
//
//     node sessions.cjs ORT MODEL SESSIONS COUNT INPUT...
//
// Each runs COUNT inferences; ORT and inputs are as in infer.cjs.
'use strict';
const [where, model, sessions, count, ...specs] = process.argv.slice(2);
const ort = require(where);
const tensor = require('./tensor.cjs');

async function main() {
    const feeds = Object.fromEntries(specs.map((s) => tensor(ort, s)));
    const kept = [];
    for (let i = 0; i < Number(sessions); i++) {
        const session = await ort.InferenceSession.create(
            model, {intraOpNumThreads: 1, logSeverityLevel: 3});
        for (let k = 0; k < Number(count); k++)
            await session.run(feeds);
        if (i % 2)
            await session.release();
        else
            kept.push(session);
    }
}

main().catch((e) => { console.error(e.message); process.exitCode = 1; });
