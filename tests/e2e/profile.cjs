// profile.cjs -- runs a model once with ONNX Runtime's own profile on, and
// prints where that was written.
//
//     node profile.cjs ORT MODEL NAME=TYPE:DIMS...
'use strict';
const [where, model, ...specs] = process.argv.slice(2);
const ort = require(where);

function tensor(spec) {
    const [name, rest] = spec.split('=');
    const [type, text] = rest.split(':');
    const dims = text === '' ? [] : text.split('x').map(Number);
    const size = dims.reduce((a, b) => a * b, 1);
    const data = type === 'int64' ? new BigInt64Array(size).fill(16000n)
        : new Float32Array(size).fill(0.5);
    return [name, new ort.Tensor(type, data, dims)];
}

async function main() {
    const session = await ort.InferenceSession.create(model,
        {intraOpNumThreads: 1, enableProfiling: true,
            profileFilePrefix: 'own'});
    await session.run(Object.fromEntries(specs.map(tensor)));
    session.endProfiling();
}

main().catch((e) => { console.error(e.message); process.exitCode = 1; });
