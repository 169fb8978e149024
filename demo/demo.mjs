// demo.mjs -- a small language model continues a text, token by token.  An
// ordinary program: it has never heard of ortmeter.
//
//     node demo/demo.mjs [FOLDER [COUNT]]    model.onnx and config.json; tokens

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const build = fileURLToPath(new URL('../build/', import.meta.url));
const require = createRequire(`${build}npm/`);
const { InferenceSession, Tensor } = require('onnxruntime-node');

const [folder = `${build}models/decoder`, count = 48] = process.argv.slice(2);
const config = JSON.parse(readFileSync(`${folder}/config.json`, 'utf8'));
const session = await InferenceSession.create(`${folder}/model.onnx`);
const cacheNames = session.inputNames.filter(n => n.startsWith('past_key_values.'));
const headSize = config.hidden_size / config.num_attention_heads;

function row(numbers) {
    return new Tensor('int64', BigInt64Array.from(numbers, BigInt), [1, numbers.length]);
}

function emptyCache() {
    const shape = [1, config.num_key_value_heads, 0, headSize];
    return Object.fromEntries(cacheNames.map(n => [n, new Tensor('float32', [], shape)]));
}

// One run of the model: the most likely next token, and the longer cache.
async function next(tokens, seen, cache) {
    const total = seen + tokens.length;
    const out = await session.run({
        input_ids: row(tokens),
        attention_mask: row(Array(total).fill(1)),
        position_ids: row(tokens.map((_, i) => seen + i)),
        ...cache,
    });
    const last = out.logits.data.subarray(-config.vocab_size);
    const longer = cacheNames.map(n => [n, out[n.replace('past_key_values', 'present')]]);
    return [last.indexOf(Math.max(...last)), total, Object.fromEntries(longer)];
}

// The model reads bytes: a text is its own list of tokens.
const prompt = [...Buffer.from('Where does the time go, and where do the joules go?')];
const written = [];
let [token, seen, cache] = await next(prompt, 0, emptyCache());
while (written.push(token) < count)
    [token, seen, cache] = await next([token], seen, cache);

console.log(`${prompt.length} tokens read, ${written.length} written: ${written.join(' ')}`);
