// walk.cjs -- whether the three reports of a run say the same:
// node walk.cjs JSON TEXT HTML
//
// JSON has every digit, so its figures are what text and page must show, rounded
// to the digits that they show.  What one of them says and JSON does not, or the
// other way round, is wrong, too.
'use strict';
const fs = require('node:fs');
const [json, text, html] = process.argv.slice(2).map((f) => fs.readFileSync(f, 'utf8'));
const run = JSON.parse(json);
let figures = 0;

const UNITS = {ns: 1, 'µs': 1e3, us: 1e3, ms: 1e6, s: 1e9, min: 60e9};

function fail(what) {
    throw new Error(what);
}

// "1.23 ms": its nanoseconds, and half of its last digit.
function duration(shown) {
    const [, digits, unit] = /^([\d,]+(?:\.\d+)?) (ns|µs|us|ms|s|min)$/.exec(shown) ??
        fail(`'${shown}' is no duration`);
    const plain = digits.replaceAll(',', '');
    const places = plain.includes('.') ? plain.split('.')[1].length : 0;
    return {value: plain * UNITS[unit], half: 0.5001 * 10 ** -places * UNITS[unit]};
}

function same(what, shown, ns) {
    const {value, half} = duration(shown);
    figures++;
    if (ns === undefined || Math.abs(value - ns) > half + 0.6)
        fail(`${what}: shown as ${shown}, in JSON ${ns} ns`);
}

function sameCount(what, shown, n) {
    figures++;
    if (Number(String(shown).replaceAll(',', '')) !== n)
        fail(`${what}: shown as ${shown}, in JSON ${n}`);
}

// --- the page ----------------------------------------------------------------

function unescape(cell) {
    return cell.replace(/&(lt|gt|amp|quot|#39);/g, (_, name) =>
        ({lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'"})[name]);
}

const tables = new Map([...html.matchAll(
    /<h2>(.*?)<\/h2>\n<div class="wide"><table[^>]*>\n(.*?)<\/table>/gs)]
    .map(([, title, body]) => [unescape(title), body.trim().split('\n').map((row) =>
        [...row.matchAll(/<t[hd]>(.*?)<\/t[hd]>/g)].map((c) => unescape(c[1])))]));

const LATENCY = {mean: 'mean_us', p50: 'p50_us', p90: 'p90_us', p95: 'p95_us',
                 p99: 'p99_us', 'p99.9': 'p99_9_us', least: 'min_us', most: 'max_us'};

function latencyRow(what, head, row, figures) {
    head.forEach((name, i) => {
        if (name in LATENCY && row[i] === 'too few')
            LATENCY[name] in figures && fail(`${what}: too few, and yet in JSON`);
        else if (name in LATENCY)
            same(`${what} ${name}`, row[i], 1e3 * figures[LATENCY[name]]);
        else if (name === 'counted')
            sameCount(`${what} counted`, row[i],
                      figures.counted ?? figures.count - (figures.failed ?? 0));
    });
}

function page() {
    const latency = tables.get('Latency') ?? [[]];
    const [head, ...rows] = latency;
    const sessions = run.sessions.filter((s) => s.latency?.p50_us !== undefined);
    let next = 0;
    for (const row of rows) {
        if (row[0] === 'all inferences')
            latencyRow('latency', head, row, run.latency);
        else if (row[0] === 'prefill' || row[0] === 'decode')
            latencyRow(row[0], head, row, run.phases[row[0]]);
        else
            latencyRow(row[0], head, row, sessions[next++].latency);
    }
    if (run.latency.p50_us !== undefined && rows[0]?.[0] !== 'all inferences')
        fail('the page has no latency');
    for (const [name, value] of tables.get('Run')) {
        if (name === 'inferences')
            sameCount('inferences', value, run.latency.count);
        if (name === 'traced')
            sameCount('traced', value, run.latency.traced);
        if (name === 'left out of the figures')
            sameCount('left out', value.split(' ')[0], run.latency.traced_left_out);
        if (name === 'in the figures')
            sameCount('slowed', value.split(' ')[0], run.latency.slowed_by_tracing);
        if (name === 'lost events')
            sameCount('lost', value, run.lost_events);
        if (name === 'took')
            same('took', value, 1e9 * run.run.duration_s);
        if (name === 'tracing')
            same('tracing', value.split(' a traced')[0], run.overhead.tracing_ns);
    }
    const tokens = {'time to the first': 'ttft_ms', 'time of each further one': 'tpot_ms',
                    'p50 of the first': 'ttft_p50_ms', 'p99 of the first': 'ttft_p99_ms',
                    'p50 of each further one': 'tpot_p50_ms',
                    'p99 of each further one': 'tpot_p99_ms'};
    for (const [name, value] of tables.get('Tokens') ?? [])
        if (name in tokens)
            same(name, value, 1e6 * run.tokens[tokens[name]]);
        else if (name === 'tokens')
            sameCount('tokens', value, run.tokens.count);
    for (const [i, row] of (tables.get('Sweep') ?? [[]]).slice(1).entries()) {
        same('sweep p50', row[2], 1e3 * run.sweep[i].p50_us);
        same('sweep p99', row[5], 1e3 * run.sweep[i].p99_us);
        if (run.sweep[i].rounds > 1)
            same('sweep low', row[3], 1e3 * run.sweep[i].median_low_us);
    }
    for (const [title, rows] of tables)
        if (title.startsWith('Operators by type') && !/prefill|decode|other/.test(title))
            for (const [type, operators, times, total] of rows.slice(1)) {
                const x = run.op_types.find((o) => o.op_type === type &&
                    o.operators === Number(operators) && o.count === Number(times) &&
                    Math.abs(duration(total).value - 1e3 * o.self_us) <=
                        duration(total).half + 0.6);
                x ? figures++ : fail(`${title}: ${type} ${total} is not in JSON`);
            }
}

// --- the text ----------------------------------------------------------------

const lines = text.split('\n');

function line(label) {
    return lines.find((l) => l.startsWith(`  ${label} `));
}

const DURATION = '([\\d,]+(?:\\.\\d+)? (?:ns|µs|us|ms|s|min))';

function after(label, word, ns) {
    const found = new RegExp(`${word} ${DURATION}`).exec(line(label) ?? '');
    if (!found && ns !== undefined)
        fail(`${label}: no '${word}' in the text`);
    if (found)
        same(`${label} ${word}`, found[1], ns);
}

function terminal() {
    const latency = line('latency');
    if (!latency !== (run.latency.p50_us === undefined))
        fail('the text has no latency, or JSON has none');
    if (latency) {
        const cells = latency.slice(12).trim().split(/ {2,}/);
        ['mean_us', 'p50_us', 'p90_us', 'p95_us', 'p99_us', 'p99_9_us', 'max_us']
            .forEach((name, i) => cells[i] === 'too few'
                ? name in run.latency && fail(`${name}: too few, and yet in JSON`)
                : same(`latency ${name}`, cells[i], 1e3 * run.latency[name]));
        after('inferences', 'jitter', run.latency.jitter_us && 1e3 * run.latency.jitter_us);
    }
    if (run.latency.count)
        sameCount('inferences', /^ *inferences +([\d,]+)/.exec(line('inferences'))[1],
                  run.latency.count);
    if (run.latency.traced)
        sameCount('traced', /([\d,]+) traced/.exec(line('inferences'))[1],
                  run.latency.traced);
    const t = run.tokens ?? {};
    if (t.generations) {
        after('tokens', 'first after', 1e6 * t.ttft_ms);
        if (t.tpot_ms)
            after('tokens', 'then every', 1e6 * t.tpot_ms);
        sameCount('tokens', /^ *tokens +([\d,]+)/.exec(line('tokens'))[1], t.count);
        for (const p of ['p50', 'p90', 'p99'])
            t[`tpot_${p}_ms`] &&
                after('each further', p, 1e6 * t[`tpot_${p}_ms`]);
    }
    for (const phase of ['prefill', 'decode']) {
        const x = run.phases?.[phase];
        const shown = lines.find((l) => new RegExp(`^ *${phase} +[\\d,]+ inf`).test(l));
        if (!x !== !shown)
            fail(`${phase} is not in both`);
        if (x) {
            sameCount(phase, /([\d,]+) inf/.exec(shown)[1], x.count);
            same(`${phase} mean`, new RegExp(`mean ${DURATION}`).exec(shown)[1],
                 1e3 * x.mean_us);
        }
    }
    for (const s of run.sweep ?? []) {
        const name = run.sweep[0].level === run.sweep[1].level ? s.batch : s.level;
        const cells = line(name).trim().split(/ {2,}/);
        sameCount(`batch ${name}`, cells[1], s.count);
        same(`batch ${name} p50`, cells[2], 1e3 * s.p50_us);
    }
}

page();
terminal();
if (!figures)
    fail('there was nothing to compare');
console.log(`${figures} figures agree`);
