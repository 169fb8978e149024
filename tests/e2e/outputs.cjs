// outputs.cjs -- figures of a model's outputs, in double precision, as JSON:
// { NAME: { elements, mean_abs, std_dev, max_abs } }.  Arguments are infer.cjs's.
'use strict';
const [where, model, count, ...specs] = process.argv.slice(2);
const ort = require(where);
const tensor = require('./tensor.cjs');

function figures(values) {
    let sum = 0, abs = 0, squares = 0, max = 0;
    for (const x of values) {
        sum += x;
        abs += Math.abs(x);
        max = Math.max(max, Math.abs(x));
    }
    for (const x of values)
        squares += (x - sum / values.length) ** 2;
    return {
        elements: values.length,
        mean_abs: abs / values.length,
        std_dev: Math.sqrt(squares / values.length),
        max_abs: max,
    };
}

async function main() {
    const session = await ort.InferenceSession.create(
        model, {intraOpNumThreads: 1, logSeverityLevel: 3});
    const feeds = Object.fromEntries(specs.map((s) => tensor(ort, s)));
    let outputs;
    for (let i = 0; i < Number(count); i++)
        outputs = await session.run(feeds);
    console.log(JSON.stringify(Object.fromEntries(session.outputNames.map(
        (name) => [name, figures(Array.from(outputs[name].data, Number))]))));
}

main().catch((e) => { console.error(e.message); process.exitCode = 1; });
