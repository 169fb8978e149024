// decode_many.cjs -- as decode.cjs, but all requests at once, and timed:
// node decode_many.cjs ORT FOLDER REQUESTS PROMPT TOKENS
//
// Prints {"least_ms": ..., "most_ms": ...}: the mean time from one token of a
// text to the next lies between them.  A call ends after it was made, and before
// we hear of it: more cannot be said here, where all of them wait for one thread.
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
    const times = [];
    let cache = emptyCache(session);
    let past = 0;
    while (made.length < tokens) {
        const total = past + ids.length;
        const called = performance.now();
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
        times.push({called, heard: performance.now()});
    }
    return times;
}

async function main() {
    const session = await ort.InferenceSession.create(
        `${folder}/model.onnx`, {intraOpNumThreads: 1});
    const all = await Promise.all(Array.from({length: requests}, (_, r) =>
        generate(session, Array.from({length: prompt},
                                     (_, i) => 3 + (r + i) % 50))));
    const steps = requests * (tokens - 1);
    const mean = (later) => all.map(later).reduce((a, b) => a + b) / steps;
    console.log(JSON.stringify({
        least_ms: mean((t) => t.at(-1).called - t[0].heard),
        most_ms: mean((t) => t.at(-1).heard - t[0].called),
    }));
}

main().catch((e) => { console.error(e.message); process.exitCode = 1; });
