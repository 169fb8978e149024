// exit.cjs -- leaves with 7 while eight inferences are under way:
// node exit.cjs ORT MODEL (silero's inputs).
'use strict';
const [where, model] = process.argv.slice(2);
const ort = require(where);

async function main() {
    const session = await ort.InferenceSession.create(model);
    const feeds = {
        input: new ort.Tensor('float32', new Float32Array(512), [1, 512]),
        state: new ort.Tensor('float32', new Float32Array(256), [2, 1, 128]),
        sr: new ort.Tensor('int64', new BigInt64Array([16000n]), []),
    };
    for (let i = 0; i < 8; i++)
        session.run(feeds);
    process.exit(7);
}

main();
