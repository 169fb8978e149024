// profile.cjs -- runs a model once with ONNX Runtime's own profile on, and
// prints where that was written.
//
//     node profile.cjs ORT MODEL INPUT...
'use strict';
const [where, model, ...specs] = process.argv.slice(2);
const ort = require(where);
const tensor = require('./tensor.cjs');

async function main() {
    const session = await ort.InferenceSession.create(model,
        {intraOpNumThreads: 1, enableProfiling: true,
            profileFilePrefix: 'own'});
    await session.run(Object.fromEntries(specs.map((s) => tensor(ort, s))));
    session.endProfiling();
}

main().catch((e) => { console.error(e.message); process.exitCode = 1; });
