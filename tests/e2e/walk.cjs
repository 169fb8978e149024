// walk.cjs -- whether the three reports of a run say the same:
// node walk.cjs JSON TEXT HTML [PHASE=JSON...]
//
// PHASE=JSON is what `report --phase PHASE --json` says.
//
// JSON has every digit, so its figures are what text and page must show, rounded
// to the digits that they show.  What one of them says and JSON does not, or the
// other way round, is wrong, too.
'use strict';
const fs = require('node:fs');
const [json, text, html] = process.argv.slice(2, 5).map((f) => fs.readFileSync(f, 'utf8'));
const run = JSON.parse(json);
const runOf = {all: run, ...Object.fromEntries(process.argv.slice(5).map((pair) => {
    const [phase, file] = pair.split('=');
    return [phase, JSON.parse(fs.readFileSync(file, 'utf8'))];
}))};
let figures = 0;

const SIZES = {B: 1, kB: 1e3, MB: 1e6, GB: 1e9};
const UNITS = {ns: 1, 'µs': 1e3, us: 1e3, ms: 1e6, s: 1e9, min: 60e9};

function fail(what) {
    throw new Error(what);
}

// "1.23 ms": its nanoseconds, and half of its last digit.
function duration(shown, units = UNITS) {
    const [, digits, unit] = /^(-?[\d,]+(?:\.\d+)?) ?(\S*)$/.exec(shown) ?? [];
    if (!(unit in units))
        fail(`'${shown}' is none of ${Object.keys(units)}`);
    const plain = digits.replaceAll(',', '');
    const places = plain.includes('.') ? plain.split('.')[1].length : 0;
    return {value: plain * units[unit], half: 0.5001 * 10 ** -places * units[unit]};
}

function sameIn(units, what, shown, value, slack = 0) {
    const x = duration(shown, units);
    figures++;
    if (!(Math.abs(x.value - value) <= x.half + slack))
        fail(`${what}: shown as ${shown}, in JSON ${value}`);
}

// Three digits, or all of a whole number.
function sameDigits(what, shown, value) {
    figures++;
    if (!(Math.abs(shown - value) <= 0.0051 * value))
        fail(`${what}: shown as ${shown}, in JSON ${value}`);
}

function samePercent(what, shown, percent) {
    sameIn({'%': 1}, what, shown, percent, 0.006);
}

function sameRate(what, shown, rate) {
    sameIn({'': 1}, what, shown, rate, 0.0005);
}

function sameSize(what, shown, bytes) {
    sameIn(SIZES, what, shown, bytes);
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
        if (name === 'hook')
            sameCount('hook', /at least (\d+) ns/.exec(value)[1], run.overhead.hook_ns);
        if (name === 'inferences a second')
            sameRate(name, value, run.throughput.inferences_per_s);
        if (name === 'samples a second')
            sameRate(name, value, run.throughput.fps);
        if (name === 'warm-up') {
            sameCount(name, value.split(' of ')[0], run.warmup.count);
            same(name, value.split(' of ')[1], 1e3 * run.warmup.mean_us);
        }
    }
    const about = new Map(tables.get('Run'));
    for (const [name, known] of [['inferences a second', run.throughput],
                                 ['warm-up', run.warmup?.count || undefined],
                                 ['tracing', run.overhead?.tracing_ns],
                                 ['hook', run.overhead?.hook_ns || undefined],
                                 ['left out of the figures', run.latency.traced_left_out],
                                 ['in the figures', run.latency.slowed_by_tracing]])
        if (about.has(name) !== (known !== undefined))
            fail(`${name} is not in both`);
    chart();
    pageTokens();
    for (const [i, row] of (tables.get('Sweep') ?? [[]]).slice(1).entries()) {
        same('sweep p50', row[2], 1e3 * run.sweep[i].p50_us);
        same('sweep p99', row[5], 1e3 * run.sweep[i].p99_us);
        if (run.sweep[i].rounds > 1)
            same('sweep low', row[3], 1e3 * run.sweep[i].median_low_us);
        sameCount('sweep, slowed', /^\d*/.exec(row[7])[0],
                  run.sweep[i].traced_left_out ?? run.sweep[i].slowed_by_tracing ?? 0);
    }
    resources();
    fusions();
    pageSessions();
    accounts();
    for (const kind of Object.keys(GROUPS)) {
        const titled = [...tables.keys()].filter((t) => t.startsWith(`${GROUPS[kind].title}:`) ||
            t.startsWith(`${GROUPS[kind].title};`) || t === GROUPS[kind].title);
        inViews(kind, titled.map((title) => ({
            phase: phaseIn(title.split(';')[0]),
            rows: tables.get(title).slice(1).map((row) => pageRow(kind, row)),
        })));
    }
}

const TOKENS = {'time to the first': 'ttft_ms', 'time of each further one': 'tpot_ms'};
for (const p of ['p50', 'p90', 'p99']) {
    TOKENS[`${p} of the first`] = `ttft_${p}_ms`;
    TOKENS[`${p} of each further one`] = `tpot_${p}_ms`;
}

function pageTokens() {
    const shown = new Map(tables.get('Tokens') ?? []), known = run.tokens ?? {};
    const of = (name, check, value) => {
        if (shown.has(name) !== (value !== undefined))
            fail(`tokens, ${name}: not in both`);
        if (value !== undefined)
            check(`tokens, ${name}`, shown.get(name), value);
    };
    const slowed = (what, value, n) => sameCount(what, value.split(' ')[0], n);
    for (const [name, member] of Object.entries(TOKENS))
        if (shown.get(name) === 'too few')
            member in known && fail(`tokens, ${name}: too few, and yet in JSON`);
        else
            of(name, same, known[member] && 1e6 * known[member]);
    of('tokens', sameCount, known.count);
    of('generations', sameCount, known.generations);
    of('tokens a second', sameRate, known.tokens_per_s);
    of('left out of the first', slowed, known.ttft_left_out);
    of('in the first', slowed, known.ttft_slowed_by_tracing);
    of('left out of each further one', slowed, known.tpot_left_out);
    of('in each further one', slowed, known.tpot_slowed_by_tracing);
    of('none', (what, value, why) => value === why || fail(what), run.no_tokens);
}

// The chart reaches as high as the longest of those that the figures are of.
function chart() {
    const drawn = /<figure><figcaption>Latency over time.*?<\/figure>/s.exec(html)?.[0];
    if (!drawn !== (run.latency.p50_us === undefined))
        fail('the chart of latency is not in both');
    if (!drawn || run.latency.traced_left_out || run.latency.stats_left_out)
        return;
    const marks = [...drawn.matchAll(/text-anchor="end">(.*?)<\/text>/g)]
        .map((m) => m[1]); // five up the axis, then the last below it
    same('the top of the chart', marks[4], 1e3 * run.latency.max_us);
}

function resources() {
    const lines = new Map(tables.get('Resources') ?? []);
    const cpu = run.cpu ?? {}, memory = run.memory ?? {}, io = run.io ?? {};
    const of = (name, check, value) => {
        if (lines.has(name) !== (value !== undefined))
            fail(`${name} is not in both`);
        if (lines.has(name))
            check(name, lines.get(name), value);
    };
    of('CPU time', same, cpu.user_s === undefined ? undefined
        : 1e9 * (cpu.user_s + cpu.system_s));
    of('CPU, mean, of a core', samePercent, cpu.mean_percent);
    of('CPU, at most in a second', samePercent, cpu.max_percent);
    of('all CPUs of the machine busy', samePercent, cpu.host_busy_percent);
    of('resident at most', sameSize, memory.peak_rss_bytes);
    of('read', sameSize, io.read_bytes);
    of('written', sameSize, io.written_bytes);
}

function pageSessions() {
    const rows = (tables.get('Sessions') ?? [[]]).slice(1);
    if (rows.length !== run.sessions.length)
        fail(`${rows.length} sessions on the page`);
    rows.forEach(([, id, file, load, inferences, failed], i) => {
        const x = run.sessions[i];
        sameCount('session', id, x.id);
        sameCount('inferences of a session', inferences, x.latency?.count ?? 0);
        sameCount('failed of a session', failed, x.latency?.failed ?? 0);
        if (file !== (x.model_path ?? ''))
            fail(`the model of session ${id} is ${file}`);
        if (load)
            same('load', load, 1e6 * x.load_ms);
    });
}

// Where the time of an inference went, phase by phase.
function accountsInJson() {
    return (run.gaps?.sessions ?? []).flatMap((t) => t.phases
        ? ['prefill', 'decode'].map((p) => t.phases[p]).filter((p) => p) : [t])
        .filter((t) => t.inferences && !t.side_by_side);
}

function accounts() {
    const names = {'before the first operator': 'before_first_us', operators: 'operators_us',
                   'control flow': 'control_flow_us', inference: 'run_us',
                   'runtime between operators': 'between_us',
                   'after the last operator': 'after_last_us'};
    const shown = [...tables].filter(([title, rows]) => title.startsWith('Time of an inf') &&
        !rows.some(([name]) => name.includes('side by side')));
    const known = accountsInJson();
    if (shown.length !== known.length)
        fail(`${shown.length} accounts on the page, ${known.length} in JSON`);
    shown.forEach(([title, rows], i) => {
        for (const [name, value] of rows.filter(([n]) => n in names))
            same(`${title}, ${name}`, value, 1e3 * known[i][names[name]]);
    });
}

const FATES = ['file_nodes', 'kept', 'duplicated', 'fused_nodes', 'folded_nodes',
               'removed_nodes', 'not_taken_nodes', 'executed', 'from_file',
               'made_by_fusion', 'inserted'];

function fusions() {
    const rows = (tables.get('Nodes') ?? [[]]).slice(1);
    if (rows.length !== (run.fusion ?? []).length)
        fail(`${rows.length} models with nodes on the page`);
    rows.forEach((row, i) => FATES.forEach((name, k) =>
        sameCount(`nodes, ${name}`, row[k + 1], run.fusion[i][name])));
}

// --- operators: of the page and of the text ----------------------------------

const GROUPS = {
    type: {title: 'Operators by type', of: 'op_types', is: (x) => x.op_type},
    layer: {title: 'Operators by layer', of: 'layers', is: (x) => `layer ${x.layer}`},
    component: {title: 'Operators by component', of: 'components', is: (x) => x.component},
    node: {title: 'Operators', of: 'ops', is: (x) => `${x.op_type} ${x.name}`},
};

function phaseIn(title) {
    return /(?:^|[,:] )(prefill|decode)$/.exec(title.trim())?.[1] ?? 'all';
}

function pageRow(kind, row) {
    if (row[0].startsWith('the rest'))
        return {rest: true, total: row[kind === 'node' ? 6 : 3],
                share: row[kind === 'node' ? 7 : 4]};
    const [operators, times, total, share, mean, median, stddev, gflops] =
        kind === 'node' ? [undefined, ...row.slice(5)] : row.slice(1);
    return {name: kind === 'node' ? `${row[1]} ${row[0]}` : row[0], operators, total,
            count: times.replace(' (few)', ''), few: times.endsWith(' (few)'),
            share, mean, median, stddev, gflops};
}

function optional(what, shown, us) {
    if (!shown !== (us === undefined))
        fail(`${what}: ${shown} on the page, ${us} in JSON`);
    if (shown)
        same(what, shown, 1e3 * us);
}

function sameRow(what, row, x, inferences) {
    if (row.operators !== undefined)
        sameCount(`${what}, operators`, row.operators, x.operators);
    if (row.count !== undefined)
        sameCount(`${what}, times`, row.count, x.count);
    if (row.total !== undefined)
        same(`${what}, total`, row.total, 1e3 * x.self_us);
    if (row.each !== undefined)
        sameIn(UNITS, `${what}, an inference`, row.each, 1e3 * x.self_us / inferences, 0.6);
    if (row.runs !== undefined)
        sameDigits(`${what}, runs`, row.runs, x.count / inferences);
    samePercent(`${what}, share`, row.share, 100 * x.share);
    optional(`${what}, mean`, row.mean, x.mean_us);
    optional(`${what}, median`, row.median, x.median_us);
    optional(`${what}, stddev`, row.stddev, x.stddev_us);
    if (row.few !== (x.few ?? false))
        fail(`${what}: few is not in both`);
    if (!row.gflops !== (x.flops_per_s === undefined))
        fail(`${what}: GFLOP/s are not in both`);
    if (row.gflops)
        sameDigits(`${what}, GFLOP/s`, row.gflops, x.flops_per_s / 1e9);
}

// All but those that were shown; a little more than rounding for many.
function sameRest(what, row, us, inferences) {
    const shown = row.total ?? row.each, parts = row.total ? 1 : inferences;
    sameIn(UNITS, what, shown, 1e3 * us / parts, 150 / parts);
}

// The n-th table of a phase is of the n-th session that has operators in it; its
// rows are those of JSON, the greatest first, and shares add up.
function inViews(kind, views) {
    const {title, of, is} = GROUPS[kind], seen = {};
    for (const {phase, rows} of views) {
        const at = seen[phase] = (seen[phase] ?? -1) + 1;
        const known = runOf[phase].gaps.sessions.filter((t) => t.inferences &&
            (phase !== 'all' || !t.phases) &&
            runOf[phase][of]?.some((x) => x.session === t.session))[at] ??
            fail(`${title}, ${phase}: JSON has no table ${at}`);
        const what = `${title}, ${phase}, session ${known.session}`;
        const all = runOf[phase][of].filter((x) => x.session === known.session);
        let shares = 0, left = 0;
        for (const x of runOf[phase].ops)
            left += x.session === known.session ? x.self_us : 0;
        for (const row of rows) {
            shares += parseFloat(row.share);
            if (row.rest) {
                sameRest(`${what}, the rest`, row, left, known.inferences);
                continue;
            }
            const x = all.find((y) => row.named ? row.named(is(y)) : is(y) === row.name) ??
                fail(`${what}: ${row.name} is not in JSON`);
            all.splice(all.indexOf(x), 1);
            left -= x.self_us;
            sameRow(`${what}: ${row.name}`, row, x, known.inferences);
        }
        if (all.length && !rows.at(-1).rest)
            fail(`${what}: ${all.length} are not shown, and nothing stands for them`);
        if (!(Math.abs(shares - 100) <= 0.06 * (rows.length + 1)))
            fail(`${what}: shares add up to ${shares}`);
    }
    for (const phase of Object.keys(runOf))
        for (const t of runOf[phase].gaps?.sessions ?? [])
            if (runOf[phase][of]?.some((x) => x.session === t.session && x.share) &&
                (phase !== 'all' || !t.phases) && t.inferences && !(seen[phase] >= 0))
                fail(`${title}: nothing of ${phase}`);
}

// --- the text ----------------------------------------------------------------

const lines = text.split('\n');

function line(label) {
    return lines.find((l) => l.startsWith(`  ${label} `));
}

const DURATION = '([\\d,]+(?:\\.\\d+)? (?:ns|µs|us|ms|s|min))';

function inNs(ms) {
    return ms === undefined ? undefined : 1e6 * ms;
}

function after(label, word, ns) {
    const found = new RegExp(`${word} ${DURATION}`).exec(line(label) ?? '');
    if (!found && ns !== undefined)
        fail(`${label}: no '${word}' in the text`);
    if (found)
        same(`${label} ${word}`, found[1], ns);
}

// Of too few there is no percentile, in neither of them.
function inBoth(what, shown, us) {
    if ((shown === undefined) !== (us === undefined))
        fail(`${what} is not in both`);
    if (shown !== undefined)
        same(what, shown, 1e3 * us);
}

// How many tracing slowed: "(without 3 that ...)", "(with 1 that ...)".
function slowed(label, leftOut, marked) {
    const shown = line(label) ?? '';
    sameCount(`${label}, left out`, /without (\d+) that/.exec(shown)?.[1] ?? 0, leftOut ?? 0);
    sameCount(`${label}, slowed`, /[ (]with (\d+)[ :]/.exec(shown)?.[1] ?? 0, marked ?? 0);
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
        after('inferences', 'stddev', run.latency.stddev_us && 1e3 * run.latency.stddev_us);
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
        for (const [label, of] of [['first token', 'ttft'], ['each further', 'tpot']])
            if (line(label) && / too few for p90/.test(line(label)) === `${of}_p90_ms` in t)
                fail(`${label}: too few is not in both`);
        for (const p of ['p50', 'p90', 'p99'])
            t.generations - (t.ttft_left_out ?? 0) > 1 &&
                after('first token', p, inNs(t[`ttft_${p}_ms`]));
        slowed('first token', t.ttft_left_out,
               line('first token') ? t.ttft_slowed_by_tracing : 0);
    }
    if (!!run.no_tokens !== /^ +none: /.test((line('tokens') ?? '').slice(8)))
        fail('why there are no tokens is not in both');
    slowed('inferences', run.latency.traced_left_out, run.latency.slowed_by_tracing);
    slowed('each further', t.tpot_left_out, t.tpot_slowed_by_tracing);
    for (const phase of ['prefill', 'decode']) {
        const x = run.phases?.[phase];
        const shown = lines.find((l) => new RegExp(`^ *${phase} +[\\d,]+ inf`).test(l));
        if (!x !== !shown)
            fail(`${phase} is not in both`);
        if (x) {
            sameCount(phase, /([\d,]+) inf/.exec(shown)[1], x.count);
            for (const name of ['mean', 'p99'])
                inBoth(`${phase} ${name}`, new RegExp(`${name} ${DURATION}`).exec(shown)?.[1],
                       x[`${name}_us`]);
        }
    }
    for (const s of run.sweep ?? []) {
        const name = run.sweep[0].level === run.sweep[1].level ? s.batch : s.level;
        const cells = line(name).trim().split(/ {2,}/);
        sameCount(`batch ${name}`, cells[1], s.count);
        same(`batch ${name} p50`, cells[2], 1e3 * s.p50_us);
        for (const [how, count] of [['without', s.traced_left_out],
                                    ['with', s.slowed_by_tracing]])
            sameCount(`batch ${name} ${how}`, new RegExp(`  ${how} (\\d+) that tracing`)
                .exec(line(name))?.[1] ?? 0, count ?? 0);
    }
}

const LABELS = {'by type': 'type', 'by layer': 'layer', 'by component': 'component',
                slowest: 'node'};

// Labels are 14 wide, then come columns.
function textRow(kind, l, flops) {
    const cells = [25, 36, 44, 54, 64, 74, ...(flops ? [84] : [])]
        .map((to, i, all) => l.slice(all[i - 1] ?? 14, to).trim());
    const [share, each, runs, mean, median, stddev, gflops] = cells;
    const name = l.slice(flops ? 86 : 76);
    if (name.startsWith('the rest: '))
        return {rest: true, each, share};
    const few = name.endsWith('  (few)');
    const bare = few ? name.slice(0, -7) : name;
    const node = bare.replace(/ +/, ' ');
    return {share, each, mean, median, stddev, gflops, few,
            name: kind === 'node' ? node : bare.replace(/, \d+ operators?$/, ''),
            operators: kind === 'node' ? undefined : /, (\d+) operators?$/.exec(bare)[1],
            named: kind === 'node' && ((is) => node === is || node.startsWith(`${is}  `)),
            runs};
}

// Title, tables, one after the other.
function textOperators() {
    const views = {};
    let phase = 'all', view, kind, flops;
    lines.forEach((l, i) => {
        const label = l.slice(2, 14).trim();
        if (lines[i - 1] === '')
            phase = phaseIn(l);
        if (label in LABELS && /^ +share /.test(l.slice(14))) {
            kind = LABELS[label];
            flops = l.endsWith('GFLOP/s');
            (views[kind] ??= []).push(view = {phase, rows: []});
        } else if (label)
            view = undefined;
        else if (view && / %/.test(l.slice(14, 25)))
            view.rows.push(textRow(kind, l, flops));
    });
    for (const kind of Object.keys(GROUPS))
        inViews(kind, views[kind] ?? []);
}

// "operators 1.41 ms + runtime 1.97 ms + ... = 3.45 ms an inference".
function sums() {
    const names = {operators: 'operators_us', 'control flow': 'control_flow_us',
                   runtime: 'between_us', before: 'before_first_us',
                   after: 'after_last_us', '=': 'run_us'};
    const known = accountsInJson();
    const shown = lines.filter((l) => /^  time +operators .* = .* an inference$/.test(l));
    if (shown.length !== known.length)
        fail(`${shown.length} sums in the text, ${known.length} in JSON`);
    shown.forEach((l, i) => {
        for (const [name, member] of Object.entries(names)) {
            const found = new RegExp(`${name} ${DURATION}`).exec(l);
            if (found)
                same(`time, ${name}`, found[1], 1e3 * known[i][member]);
            else if (known[i][member])
                fail(`time: no ${name}`);
        }
    });
}

// "  mlp, session 3  on CPU  loaded in 7.74 ms", and the line behind it.
function textSessions() {
    const heads = lines.map((l, i) => i).filter((i) => /^  \S.*  loaded in \S+ \S+$/.test(lines[i]));
    const known = run.sessions.filter((x) => x.load_ms !== undefined);
    if (heads.length !== known.length)
        fail(`${heads.length} sessions in the text, ${known.length} in JSON`);
    heads.forEach((at, i) => {
        same('loaded in', lines[at].split('  loaded in ')[1], 1e6 * known[i].load_ms);
        const x = known[i].latency;
        if (!x?.count)
            return;
        sameCount('inferences of a session', /^ +([\d,]+) inf/.exec(lines[at + 1])[1], x.count);
        for (const p of ['p50', 'p99'])
            inBoth(`${p} of a session`, new RegExp(`${p} ${DURATION}`).exec(lines[at + 1])?.[1],
                   x[`${p}_us`]);
    });
}

function textResources() {
    const [first, second] = lines.slice(lines.findIndex((l) => l.startsWith('  program ')));
    const cpu = run.cpu ?? {};
    const found = (line, pattern) => new RegExp(pattern).exec(line ?? '')?.[1];
    if (cpu.user_s !== undefined)
        same('CPU', found(first, `CPU ${DURATION}`), 1e9 * (cpu.user_s + cpu.system_s));
    if (run.memory?.peak_rss_bytes)
        sameSize('resident', found(first, 'at most (\\S+ \\S+) resident'),
                 run.memory.peak_rss_bytes);
    if (cpu.max_percent === undefined) // over before it was sampled
        return;
    const both = (check, name, shown, value) => {
        if ((shown === undefined) !== (value === undefined))
            fail(`${name} is not in both`);
        if (shown !== undefined)
            check(name, shown, value);
    };
    both(samePercent, 'CPU, mean', found(second, 'CPU mean (\\S+ %)'), cpu.mean_percent);
    both(samePercent, 'CPU, most', found(second, 'at most (\\S+ %)'), cpu.max_percent);
    both(sameSize, 'read', found(second, 'read (\\S+ \\S+),'), run.io?.read_bytes);
    both(sameSize, 'wrote', found(second, 'wrote (\\S+ [^ ;]+)'), run.io?.written_bytes);
    both(samePercent, 'machine', found(second, 'all CPUs (\\S+ %)'), cpu.host_busy_percent);
}

function textRates() {
    const rate = (label, what, value) => {
        const found = new RegExp(`([\\d,.]+) ${what}/s`).exec(line(label) ?? '')?.[1];
        if ((found === undefined) !== (value === undefined))
            fail(`${what}/s are not in both`);
        if (found)
            sameIn({'': 1}, `${what}/s`, found, value, 0.0005);
    };
    rate('throughput', 'inferences', run.throughput?.inferences_per_s);
    rate('tokens', 'tokens', run.tokens?.tokens_per_s);
    if (run.overhead?.tracing_ns !== undefined)
        after('meter', 'tracing', run.overhead.tracing_ns);
    if (run.overhead?.hook_ns)
        sameCount('hook', /at least (\d+) ns/.exec(line('meter'))[1], run.overhead.hook_ns);
}

// "155 in the file = 100 ran as they are + 55 fused": what is 0 is not said.
function textFusions() {
    const words = [' in the file', ' ran as they are', ' ran in several copies', ' fused',
                   ' folded', ' removed', ' in branches not taken', ' ran = ',
                   ' from the file', ' made by fusion', ' put in'];
    const at = lines.map((l, i) => i).filter((i) => lines[i].startsWith('  nodes '));
    if (at.length !== (run.fusion ?? []).length)
        fail(`nodes of ${at.length} models in the text`);
    at.forEach((from, i) => words.forEach((word, k) => {
        const found = new RegExp(`(\\d+)${word}`).exec(lines[from + (k > 6)])?.[1] ?? 0;
        sameCount(`nodes,${word}`, found, run.fusion[i][FATES[k]]);
    }));
}

page();
terminal();
textSessions();
textResources();
textRates();
textFusions();
textOperators();
sums();
if (!figures)
    fail('there was nothing to compare');
console.log(`${figures} figures agree`);
