// decoder_check.mjs -- does the decoder's cache work?  However a text is cut
// into runs, each token's logits must be those of one run over the whole text.
//
//     node decoder_check.mjs NODE_MODULES/onnxruntime-node MODELS
//
// Prints one line; exits with 1 on a mismatch.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const LIMIT = 1e-4;
const [ortFolder, modelsFolder] = process.argv.slice(2);
if (!modelsFolder) {
    console.error('usage: decoder_check.mjs ONNXRUNTIME_NODE MODELS');
    process.exit(2);
}
const ort = createRequire(import.meta.url)(path.resolve(ortFolder));
const folder = path.join(modelsFolder, 'decoder');
const config = JSON.parse(readFileSync(path.join(folder, 'config.json')));
const session =
    await ort.InferenceSession.create(path.join(folder, 'model.onnx'));

const int64 = (rows) => new ort.Tensor('int64',
    BigInt64Array.from(rows.flat(), BigInt), [rows.length, rows[0].length]);

function emptyPast(batch) {
    const past = {};
    const dims = [batch, config.num_key_value_heads, 0, config.head_dim];
    for (let i = 0; i < config.num_hidden_layers; i++)
        for (const what of ['key', 'value'])
            past[`past_key_values.${i}.${what}`] =
                new ort.Tensor('float32', new Float32Array(0), dims);
    return past;
}

// What a run leaves behind, named as the next one wants it.
const pastFrom = (outputs) => Object.fromEntries(Object.entries(outputs)
    .filter(([name]) => name.startsWith('present.'))
    .map(([name, tensor]) =>
        [name.replace('present', 'past_key_values'), tensor]));

// The logits of each text (a row of token ids) as [row][token] ->
// Float32Array.  It is run in `pieces` of these sizes; the first `padding[row]`
// tokens of a row are padding; `place` turns a token's index into its position.
async function logitsOf(rows, { pieces, padding, place } = {}) {
    pieces ??= [rows[0].length];
    padding ??= rows.map(() => 0);
    place ??= (index) => index;
    const logits = rows.map(() => []);
    let past = emptyPast(rows.length);
    let done = 0;
    for (const size of pieces) {
        const end = done + size;
        const index = rows.map((_, r) =>
            Array.from({ length: end }, (_, i) => i - padding[r]));
        const outputs = await session.run({
            input_ids: int64(rows.map((row) => row.slice(done, end))),
            attention_mask: int64(index.map((row) =>
                row.map((i) => (i < 0 ? 0 : 1)))),
            position_ids: int64(index.map((row) =>
                row.slice(done).map((i) => place(Math.max(i, 0))))),
            ...past,
        });
        rows.forEach((_, r) => {
            for (let t = 0; t < size; t++) {
                const at = (r * size + t) * config.vocab_size;
                logits[r].push(
                    outputs.logits.data.slice(at, at + config.vocab_size));
            }
        });
        past = pastFrom(outputs);
        done = end;
    }
    return logits;
}

// The greatest difference; Infinity when one is no number.
function difference(a, b) {
    let most = a.length === b.length ? 0 : Infinity;
    for (let i = 0; i < a.length; i++) {
        const d = Math.abs(a[i] - b[i]);
        most = Math.max(most, Number.isNaN(d) ? Infinity : d);
    }
    return most;
}

// The same over rows of tokens; `b` may have more tokens than `a`.
const differenceOfRows = (a, b) => Math.max(...a.flatMap((row, r) =>
    row.map((logits, t) => difference(logits, b[r][t]))));

const tokens = (seed, count) => Array.from({ length: count },
    (_, i) => (seed * 37 + i * i * 11 + i * 5) % config.vocab_size);
const length = 13;
const texts = [1, 2, 3].map((seed) => tokens(seed, length));
const whole = await logitsOf(texts);

// What must not matter.
const same = {};
const cuts = {
    'prefill and decode': [length - 1, 1],
    'decode only': Array(length).fill(1),
    'two prefills': [5, 8],
};
for (const [name, pieces] of Object.entries(cuts))
    same[name] = differenceOfRows(await logitsOf(texts, { pieces }), whole);

same['no batch'] = differenceOfRows(await logitsOf([texts[1]]), [whole[1]]);

const padding = [4, 0, 7];
const padded = texts.map((text, r) =>
    [...tokens(r + 9, padding[r]), ...text].slice(0, length));
const unpadded = (await logitsOf(padded, { padding, pieces: [length - 1, 1] }))
    .map((row, r) => row.slice(padding[r]));
same['padding'] = differenceOfRows(unpadded, whole);

same['all positions shifted'] =
    differenceOfRows(await logitsOf(texts, { place: (i) => i + 50 }), whole);

// What must matter, or the above would prove nothing: tokens long before, and
// the order of tokens.
const other = {};
const changed = [[texts[0][0] ^ 1, ...texts[0].slice(1)]];
const last = whole[0][length - 1];
other['first token'] =
    difference((await logitsOf(changed))[0][length - 1], last);
other['positions'] = difference(
    (await logitsOf([texts[0]], { place: () => 0 }))[0][length - 1], last);

const list = (checks) => Object.entries(checks)
    .map(([name, value]) => `${name} ${value.toExponential(1)}`).join(', ');
const good = Object.values(same).every((d) => d < LIMIT)
    && Object.values(other).every((d) => d > 100 * LIMIT && d < Infinity);
console.log(`${good ? 'ok' : 'MISMATCH'}: changes in logits, which must be `
    + `small: ${list(same)}; and must not: ${list(other)}`);
process.exit(good ? 0 : 1);
