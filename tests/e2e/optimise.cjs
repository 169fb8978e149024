// optimise.cjs -- runs a model a few times, and has ONNX Runtime write down what
// it made of it.  Without inputs it only loads the model.
//
//     node optimise.cjs ORT MODEL OUT [INPUT...]
'use strict';
const [where, model, out, ...specs] = process.argv.slice(2);
const ort = require(where);
const tensor = require('./tensor.cjs');

async function main() {
    const session = await ort.InferenceSession.create(model,
        {intraOpNumThreads: 1, logSeverityLevel: 3,
            optimizedModelFilePath: out});
    const feeds = Object.fromEntries(specs.map((s) => tensor(ort, s)));
    for (let i = 0; i < 3 && specs.length; i++)
        await session.run(feeds);
}

main().catch((e) => { console.error(e.message); process.exitCode = 1; });
