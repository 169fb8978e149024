// encoded.cjs -- texts from an encoder and a decoder, as transformers.js makes
// them: node encoded.cjs ORT FOLDER TEXTS TOKENS HEADS SIZE LAYERS SPLIT
//
// SPLIT 0: one decoder with use_cache_branch, whose first step has a past of
// one token that does not count; 1: one model for the first step and another
// for the others.  All texts are made at once.
'use strict';
const [where, folder, ...counts] = process.argv.slice(2);
const [texts, tokens, heads, size, layers, split] = counts.map(Number);
const ort = require(where);

function int64(values) {
    return new ort.Tensor('int64', BigInt64Array.from(values, BigInt),
                          [1, values.length]);
}

function emptyCache() {
    const cache = {};
    for (let i = 0; i < layers; i++)
        for (const side of ['decoder', 'encoder'])
            for (const kind of ['key', 'value'])
                cache[`past_key_values.${i}.${side}.${kind}`] = new ort.Tensor(
                    'float32', new Float32Array(heads * size),
                    [1, heads, 1, size]);
    return cache;
}

// What a step returned, as the next one takes it: an encoder's is made once.
function carry(cache, outputs) {
    for (const [name, value] of Object.entries(outputs)) {
        const past = name.replace('present', 'past_key_values');
        if (name.startsWith('present') &&
            (!name.includes('.encoder.') || !cache[past]?.kept)) {
            cache[past] = value;
            cache[past].kept = true;
        }
    }
}

async function generate(models, seed) {
    const ids = Array.from({length: 20 + seed}, (_, i) => 3 + (seed + i) % 50);
    const mask = int64(Array(ids.length).fill(1));
    const {last_hidden_state: states} = await models.encoder.run({
        input_ids: int64(ids), attention_mask: mask});
    const cache = split ? {} : emptyCache();
    for (let n = 0; n < tokens; n++) {
        const model = n && split ? models.next : models.first;
        const given = {input_ids: int64([n % 50]), ...cache,
                       encoder_attention_mask: mask,
                       encoder_hidden_states: states};
        if (!split)
            given.use_cache_branch = new ort.Tensor('bool', [n > 0], [1]);
        const feeds = Object.fromEntries(
            model.inputNames.map((name) => [name, given[name]]));
        carry(cache, await model.run(feeds));
    }
}

async function main() {
    const load = (name) => ort.InferenceSession.create(
        `${folder}/${name}.onnx`, {intraOpNumThreads: 1});
    const models = {encoder: await load('encoder_model')};
    models.first = await load(split ? 'decoder_model' : 'decoder_model_merged');
    if (split)
        models.next = await load('decoder_with_past_model');
    await Promise.all(Array.from({length: texts},
                                 (_, i) => generate(models, i)));
}

main().catch((e) => { console.error(e.message); process.exitCode = 1; });
