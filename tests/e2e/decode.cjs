// decode.cjs -- greedy text generation with a key-value cache, as programs do
// it: node decode.cjs ORT FOLDER REQUESTS PROMPT TOKENS
//
// Each of REQUESTS prompts has PROMPT tokens and gets TOKENS more: one run for
// the prompt, which gives the first, then one for each further token.
'use strict';
const fs = require('node:fs');
const [where, folder, ...counts] = process.argv.slice(2);
const [requests, prompt, tokens] = counts.map(Number);
const ort = require(where);
const config = JSON.parse(fs.readFileSync(`${folder}/config.json`));

function int64(values) {
    return new ort.Tensor('int64', BigInt64Array.from(values, BigInt),
                          [1, values.length]);
}

function emptyCache(session) {
    const heads = config.num_key_value_heads;
    const size = config.head_dim;
    return Object.fromEntries(session.inputNames
        .filter((name) => name.startsWith('past_key_values.'))
        .map((name) => [name, new ort.Tensor(
            'float32', new Float32Array(0), [1, heads, 0, size])]));
}

// The most likely token after the last of `ids`.
function best(logits) {
    const [, length, vocabulary] = logits.dims;
    const last = logits.data.subarray((length - 1) * vocabulary);
    return last.indexOf(last.reduce((a, b) => Math.max(a, b)));
}

async function generate(session, ids) {
    const made = [];
    let cache = emptyCache(session);
    let past = 0;
    while (made.length < tokens) {
        const total = past + ids.length;
        const outputs = await session.run({
            input_ids: int64(ids),
            attention_mask: int64(Array(total).fill(1)),
            position_ids: int64(ids.map((_, i) => past + i)),
            ...cache,
        });
        past = total;
        cache = Object.fromEntries(Object.keys(cache).map((name) => [
            name, outputs[name.replace('past_key_values', 'present')]]));
        ids = [best(outputs.logits)];
        made.push(ids[0]);
    }
    return made;
}

async function main() {
    const session = await ort.InferenceSession.create(
        `${folder}/model.onnx`, {intraOpNumThreads: 1});
    for (let r = 0; r < requests; r++) {
        const ids = Array.from({length: prompt}, (_, i) => 3 + (r + i) % 50);
        console.log((await generate(session, ids)).join(' '));
    }
}

main().catch((e) => { console.error(e.message); process.exitCode = 1; });
