// throwing.cjs ADDON MODEL -- a decoder whose mask is, every seventh time, of a
// length that does not fit: a kernel throws in the midst of the run.  Prints
// what came out, and how often nothing did.
const [addon, model] = process.argv.slice(2);
const ort = require(addon);

const TOKENS = 4;
const LAYERS = 2;

function whole(values) {
    return new ort.Tensor('int64', BigInt64Array.from(values, BigInt),
        [1, values.length]);
}

function feeds(mask) {
    const f = {
        input_ids: whole(Array(TOKENS).fill(3)),
        attention_mask: whole(Array(mask).fill(1)),
        position_ids: whole([...Array(TOKENS).keys()]),
    };
    for (let layer = 0; layer < LAYERS; layer++)
        for (const part of ['key', 'value'])
            f[`past_key_values.${layer}.${part}`] =
                new ort.Tensor('float32', new Float32Array(0), [1, 2, 0, 16]);
    return f;
}

(async () => {
    const session = await ort.InferenceSession.create(model,
        { logSeverityLevel: 4 });
    let sum = 0;
    const errors = {};
    for (let i = 0; i < 211; i++)
        try {
            const out = await session.run(
                feeds(i % 7 === 3 ? TOKENS + 5 : TOKENS));
            sum += out.logits.data[0];
        } catch (e) {
            errors[e.message] = (errors[e.message] ?? 0) + 1;
        }
    console.log(sum, JSON.stringify(errors));
})();
