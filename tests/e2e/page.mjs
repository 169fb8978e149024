// page.mjs WEB -- drives the page of `ortmeter serve` and compares what it shows
// with what the API answers.  WEB is the source's folder web: its packages are
// used.  With SHOTS=FOLDER it leaves screenshots there.

import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import assert from 'node:assert/strict';

const web = process.argv[2], require = createRequire(`${web}/`);
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const { ORTMETER, BROWSER, LIVE, SAMPLE, SHOTS } = process.env;
const PATIENCE = Number(process.env.PATIENCE ?? 120_000); // the machine may be very busy

// --- the server -----------------------------------------------------------------------

function start(args = [], verb = 'serve', env = {}) {
    const child = spawn(ORTMETER, [verb, ...args], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } });
    return new Promise((resolve, reject) => {
        let said = '';
        child.stderr.on('data', data => {
            said += data;
            const at = /http:\/\/127\.0\.0\.1:(\d+)\/#token=([\w-]+)/.exec(said);
            if (at) resolve({ child, port: at[1], token: at[2], url: `http://127.0.0.1:${at[1]}` });
        });
        child.on('exit', code => reject(new Error(`serve ended with ${code}: ${said}`)));
    });
}
const stop = server => new Promise(done => {
    server.child.removeAllListeners('exit');
    server.child.on('exit', done);
    server.child.kill();
});
const freePort = async () => {
    const net = await import('node:net');
    return new Promise(done => {
        const s = net.createServer().listen(0, '127.0.0.1', () => {
            const { port } = s.address();
            s.close(() => done(String(port)));
        });
    });
};

// --- the browser: what it complains of is a failure --------------------------------------

const complaints = [];
let browser;

async function open(server, { theme = 'light', width = 1440, height = 900, quiet = [], also } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, acceptDownloads: true });
    await context.addInitScript(axe);
    await context.addInitScript(() => {
        window.violations = [];
        document.addEventListener('securitypolicyviolation', e => window.violations.push(`${e.violatedDirective} ${e.blockedURI}`));
    });
    // Every host but ours is out of reach, and nothing may want it.
    await context.route(url => url.host !== new URL(server.url).host && url.host !== also, route => {
        complaints.push(`asked for ${route.request().url()}`);
        return route.abort();
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    page.on('pageerror', e => complaints.push(`error: ${e.message} ${e.stack?.split('\n')[1] ?? ''}`));
    page.on('console', m => {
        if (m.type() === 'error' && !quiet.some(q => q.test(m.text()))) complaints.push(`console on ${page.url()}: ${m.text()} ${m.location().url}`);
    });
    return page;
}

async function settled(page) {
    await page.locator('main').first().waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

async function sound(page, name, rules = {}) {
    const serious = await page.evaluate(async rules => {
        const found = await axe.run(document, { resultTypes: ['violations'], ...rules });
        return found.violations.filter(v => v.impact === 'serious' || v.impact === 'critical').map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 120)).join(' | ')}`);
    }, rules);
    assert.deepEqual(serious, [], `axe on ${name}`);
    assert.deepEqual(await page.evaluate(() => window.violations), [], `CSP on ${name}`);
}

/** What axe looks at: all of a view once; the dark one has other colours, a phone's another order. */
const rulesOf = (theme, width) => (theme === 'dark' ? { runOnly: ['color-contrast'] } : width < 800 ? { rules: { 'color-contrast': { enabled: false } } } : {});

const json = async (server, path) => {
    const answer = await fetch(server.url + path);
    assert.equal(answer.status, 200, path);
    return answer.json();
};

/** "1.15 ms" to seconds, "96.7 MB" to bytes: how a reader takes it. */
function read(text) {
    const [, number, unit] = /^([−\d.,]+)\s*(\S*)$/.exec(text.replace(/[\u202f\s]+/g, ' ').trim()) ?? [];
    assert.ok(number, `not a figure: ${text}`);
    const scale = { ns: 1e-9, µs: 1e-6, ms: 1e-3, s: 1, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, µJ: 1e-6, mJ: 1e-3, J: 1, '/s': 1, W: 1, mW: 1e-3, kW: 1e3, cores: 1, '%': 0.01, '': 1 }[unit];
    assert.ok(scale, `unit of ${text}`);
    return Number(number.replace('−', '-').replace(/,/g, '')) * scale;
}
const near = (shown, value, what, tolerance = 0.006) =>
    assert.ok(Math.abs(read(shown) - value) <= Math.abs(value) * tolerance + 1e-12, `${what}: the page says ${shown}, the API ${value}`);

async function figure(page, label) {
    const fig = page.locator('.fig', { has: page.locator('.k', { hasText: label }) }).first();
    return fig.locator('.v').innerText();
}

async function until(what, test) {
    const end = Date.now() + PATIENCE;
    for (;;) {
        if (await test()) return;
        assert.ok(Date.now() < end, `never: ${what}`);
        await new Promise(r => setTimeout(r, 100));
    }
}
const shot = async (page, name) => {
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png` });
};

// --- what is looked at ------------------------------------------------------------------

async function storedRun(server, run) {
    const page = await open(server), report = await json(server, `/api/report?run=${run}`);
    await page.goto(`${server.url}/?view=run&run=${run}`);
    await settled(page);
    const found = (await json(server, `/api/findings?run=${run}`)).findings;
    assert.ok(found.some(x => x.rule === 'alert'), 'the alert is a finding');
    assert.equal(await page.locator('.answer h1').innerText(), found[0].text, 'the headline is the worst finding');
    near(await figure(page, 'a token, p50'), report.phases.decode.p50_us / 1e6, 'p50 of a token');
    near(await figure(page, 'first token'), report.tokens.ttft_p50_ms / 1e3, 'first token');
    near(await figure(page, 'memory, most'), report.memory.peak_rss_bytes, 'memory');
    near(await figure(page, 'tokens'), report.tokens.tokens_per_s, 'tokens a second');
    near(await figure(page, 'a token, gross'), report.tokens.joules_per_token, 'joules a token');
    const slowest = [...report.ops].sort((a, b) => b.mean_us - a.mean_us)[0];
    const first = page.locator('table.operators tbody tr').first();
    near(await first.locator('td').nth(3).innerText(), slowest.mean_us / 1e6, 'the slowest operator');
    assert.equal(await first.locator('td').first().getAttribute('data-tip'), slowest.name);
    await sound(page, 'run');
    await shot(page, 'run-light');

    // filter by the key /, sort, open an operator
    await page.keyboard.press('/');
    await page.keyboard.type('softmax');
    const want = report.ops.filter(o => /softmax/i.test(`${o.name} ${o.op_type} ${o.component}`)).length;
    await until('the filter', async () => await page.locator('table.operators tbody tr').count() === Math.min(want, 16));
    await page.keyboard.press('Escape');
    await page.locator('table.operators tbody button').first().click();
    await page.locator('aside.pane h2.name').waitFor();
    await until('the address names it', () => /tab=operators&op=\d+/.test(page.url()));
    await page.goBack();
    await until('back', () => !page.url().includes('op='));

    for (const tab of ['tokens', 'energy', 'memory', 'placement', 'system', 'raw']) {
        await page.locator('.tabs a', { hasText: tab === 'placement' ? 'Placement' : new RegExp(`^${tab}$`, 'i') }).click();
        await settled(page);
        await sound(page, tab);
        if (tab === 'energy') {
            const rows = await page.locator('section.panel', { hasText: 'The account' }).locator('tbody tr td:nth-child(2)').allInnerTexts();
            const sum = rows.reduce((s, t) => s + read(t), 0);
            assert.ok(Math.abs(sum - report.energy.account.total_j) < 0.02, `the account adds up to ${sum}, not ${report.energy.account.total_j}`);
            await shot(page, 'energy-light');
        }
    }

    // what is on the screen, to the clipboard: the table's rows, and an image
    await page.goto(`${server.url}/?view=run&run=${run}&tab=operators`);
    await settled(page);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
    await page.keyboard.press('e');
    await page.locator('#export-dialog .btn', { hasText: 'Copy as CSV' }).click();
    await until('the table as CSV', async () => {
        const csv = await page.evaluate(() => navigator.clipboard.readText());
        return csv.split('\n').length > 10 && csv.includes(slowest.op_type);
    });
    await page.goto(`${server.url}/?view=timeline&run=${run}`);
    await settled(page);
    await page.keyboard.press('e');
    await page.locator('#export-dialog .btn', { hasText: 'Copy as PNG' }).click();
    await until('an image of the timeline', () => page.evaluate(async () => {
        const [item] = await navigator.clipboard.read();
        if (!item?.types.includes('image/png')) return false;
        const { width, height } = await createImageBitmap(await item.getType('image/png'));
        return width >= 1400 && height > 300;
    }));

    // export: a file as the API makes it
    await page.keyboard.press('e');
    const [file] = await Promise.all([page.waitForEvent('download'), page.locator('#export-dialog .btn', { hasText: 'JSON' }).first().click()]);
    assert.match(file.suggestedFilename(), /^profiling_run_.*\.json$/);
    assert.equal(JSON.parse(readFileSync(await file.path(), 'utf8')).run.run_id, report.run.id);
    await page.context().close();
}

async function timeline(server, run) {
    const page = await open(server), spans = await json(server, `/api/spans?run=${run}`);
    await page.goto(`${server.url}/?view=timeline&run=${run}`);
    await settled(page);
    const canvas = page.locator('.tracks canvas'), box = await canvas.boundingBox();
    const range = () => {
        const q = new URL(page.url()).searchParams;
        return q.has('a') ? Number(q.get('b')) - Number(q.get('a')) : undefined;
    };
    await page.mouse.move(box.x + box.width / 2, box.y + 60);
    await page.mouse.wheel(0, -800);
    await until('zoom by the wheel', () => range() < (spans.to_ns - spans.from_ns) * 0.6);
    const before = range();
    await page.keyboard.down('w');
    await until('zoom by the key', () => range() < before * 0.9);
    await page.keyboard.up('w');
    const at = Number(new URL(page.url()).searchParams.get('a'));
    await page.keyboard.down('d');
    await until('moved by the key', () => Number(new URL(page.url()).searchParams.get('a')) > at);
    await page.keyboard.up('d');
    await page.keyboard.press('f');
    await until('fits', () => range() > (spans.to_ns - spans.from_ns) * 0.9);

    // an operator of the API's list, by its link; its figure is the span's
    const track = spans.tracks.find(t => t.kind === 'operator'), longest = track.duration_ns.indexOf(Math.max(...track.duration_ns));
    let start = 0;
    for (let i = 0; i <= longest; i++) start += track.start_ns[i];
    await page.goto(`${server.url}/?view=timeline&run=${run}&op=${track.of[longest]}&at=${start}`);
    await settled(page);
    const pane = page.locator('aside.pane');
    await pane.locator('h2.name').waitFor();
    near(await pane.locator('dt', { hasText: 'this time' }).locator('+ dd').innerText(), track.duration_ns[longest] / 1e9, 'the selected span');
    await shot(page, 'timeline-light');
    await sound(page, 'timeline');
    await page.keyboard.press('/');
    await page.keyboard.type('layer 1');
    await page.locator('.sub', { hasText: /\d+ of \d+ operators/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.locator('aside.pane', { hasText: 'In view' }).waitFor();
    await page.keyboard.press(']');
    await page.locator('aside.pane h2', { hasText: 'Inference' }).waitFor();
    await page.context().close();
}

async function graph(server, run) {
    const page = await open(server), answer = await json(server, `/api/graph?run=${run}`);
    await page.goto(`${server.url}/?view=graph&run=${run}`);
    await settled(page);
    assert.equal(await page.locator('aside.pane dt', { hasText: /^ran$/ }).locator('+ dd').innerText(), String(answer.nodes.length));
    await sound(page, 'graph');
    await shot(page, 'graph-light');
    const boxes = page.locator('nav[aria-label="Boxes of the graph"] button');
    await boxes.filter({ hasText: /^layer 1,/ }).focus();
    await page.keyboard.press('Enter');
    await until('a folded layer opens', () => decodeURIComponent(decodeURIComponent(page.url())).includes('at=layer 1'));
    await page.keyboard.press('Escape');
    await until('esc folds it', () => !page.url().includes('at='));
    const id = answer.nodes.find(n => n.op_type === 'Softmax').id;
    await page.goto(`${server.url}/?view=graph&run=${run}&op=${id}`);
    await page.locator('aside.pane .tag', { hasText: 'Softmax' }).waitFor();
    await page.context().close();
}

async function compare(server, a, b) {
    const page = await open(server), answer = await json(server, `/api/compare?a=${a}&b=${b}`);
    await page.goto(`${server.url}/?view=compare&a=${a}&b=${b}`);
    await settled(page);
    const words = { worse: 'Worse', better: 'Better', same: 'The same', cannot_tell: 'Cannot tell', refused: 'Not comparable' };
    assert.ok((await page.locator('.verdict h1').innerText()).startsWith(words[answer.verdict]));
    const most = [...answer.operators].sort((x, y) => Math.abs(y.us.after - y.us.before) - Math.abs(x.us.after - x.us.before))[0];
    assert.equal(await page.locator('table.changes tbody tr td').first().getAttribute('data-tip'), most.name);
    await sound(page, 'compare');
    await shot(page, 'compare-light');
    await page.locator('button', { hasText: 'swap' }).click();
    await until('swapped', () => new URL(page.url()).searchParams.get('a') === b);
    await page.context().close();
}

/** Sets of runs, by tags: there is a verdict, with all that speaks for it. */
async function compareSets(server) {
    const query = 'a=level-all&b=level-disabled', answer = await json(server, `/api/compare?${query}`);
    assert.equal(answer.verdict, 'worse');
    assert.equal(answer.runs.in_turns, true);
    assert.ok(answer.latency.shift_us.every(s => s.length === 4), 'shifts have intervals');
    const sum = answer.operators.reduce((s, o) => s + o.change_us, answer.change_us.rest);
    assert.ok(Math.abs(sum - answer.change_us.whole) < 0.0005, 'the parts add up');
    for (const theme of ['light', 'dark'])
        for (const width of [1440, 390]) {
            const page = await open(server, { theme, width, height: 1100 });
            await page.goto(`${server.url}/?view=compare&${query}`);
            await settled(page);
            const first = page.locator('main.compare > *').nth(1);
            assert.equal(await first.getAttribute('aria-label'), 'Verdict', 'the verdict comes first');
            const head = await first.locator('h1').innerText();
            assert.match(head, /^Worse: \+.*\[\+.*\]/);
            assert.match(await first.innerText(), /matters.*in turns/s);
            assert.equal(await first.locator('dd').first().innerText(), '7 runs');
            assert.equal(await page.locator('.run-dot').count(), 14);
            assert.match(await page.locator('svg[aria-label^="Change at each percentile"]').getAttribute('aria-label'), /p10 \+.*p50 \+.*p90/);
            const names = await page.locator('table.changes tbody tr td:first-child').evaluateAll(all => all.map(x => x.dataset.tip));
            assert.deepEqual(names, [...answer.operators].sort((x, y) => Math.abs(y.change_us) - Math.abs(x.change_us)).slice(0, 100).map(o => o.name));
            assert.ok((await page.locator('table.changes tbody tr').first().innerText()).includes('%'), 'it says how much that explains');
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `wider than ${width} px`);
            await sound(page, `compare sets, ${theme}, ${width}`, rulesOf(theme, width));
            await shot(page, `compare-sets-${theme}-${width}`);
            await page.context().close();
        }
}

async function runs(server) {
    const page = await open(server), answer = await json(server, '/api/profiling/runs');
    await page.clock.install();
    await page.goto(`${server.url}/?view=runs#token=${server.token}`);
    await settled(page);
    await until('the token is out of the address', () => !page.url().includes('token'));
    const rows = page.locator('.runs tbody tr'), count = answer.runs.length;
    await until('all runs', async () => await rows.count() === count);
    await sound(page, 'runs');
    await shot(page, 'runs-light');
    // deleted, and taken back: the page's clock stands, so that there is time for it
    await page.clock.pauseAt(Date.now() + 1000);
    await page.locator('button[aria-label^=delete]').last().click();
    await until('gone', async () => await rows.count() === count - 1);
    await page.locator('.toast button', { hasText: 'Undo' }).click();
    await until('back again', async () => await rows.count() === count);
    await page.clock.fastForward(10_000);
    assert.equal((await json(server, '/api/profiling/runs')).total, answer.total, 'nothing was deleted');
    // deleted, and left so
    await page.locator('button[aria-label^=delete]').last().click();
    await until('gone again', async () => await rows.count() === count - 1);
    await page.clock.fastForward(10_000);
    await until('it is deleted', async () => (await json(server, '/api/profiling/runs')).total === answer.total - 1);
    await page.clock.resume();
    await page.keyboard.press('/');
    await page.keyboard.type('no such run');
    await page.locator('text=No run matches').waitFor();
    await page.context().close();
}

/** Quantiles of the API's buckets, computed here once more. */
function quantile(series, q) {
    const all = new Map();
    for (const s of series)
        for (const [, ...values] of s.pieces.buckets)
            for (const pairs of values) for (let i = 0; i < pairs.length; i += 2) all.set(pairs[i], (all.get(pairs[i]) ?? 0) + pairs[i + 1]);
    const least = b => (b < 128 ? b : (b % 64 + 64) * 2 ** (Math.floor(b / 64) - 1));
    const list = [...all].sort((a, b) => a[0] - b[0]), total = list.reduce((n, x) => n + x[1], 0);
    let seen = 0;
    for (const [b, n] of list) if ((seen += n) >= Math.max(1, Math.ceil(q * total))) return [(least(b) + least(b + 1)) / 2e9, total];
    return [undefined, 0];
}

/** Opens the paused view as a link that somebody was sent.  The end of that window may still be on its way to the database: until what is asked before and after is the same. */
async function opensTheSame(page, ask) {
    for (;;) {
        const before = await ask();
        await page.goto(page.url());
        await settled(page);
        await until('paused again', async () => await page.locator('#connection b').innerText() === 'paused');
        if (JSON.stringify(await ask()) === JSON.stringify(before)) return before;
    }
}

/** A series of the history in the 240 steps that the page has: a step's mean by time; what is not told again holds ten seconds. */
function inSteps(s, { from_ns, step_s }, from, to) {
    const step = (to - from) / 240, first = from_ns / 1e9, parts = [];
    for (const [at, ...values] of s.pieces.avg) values.forEach((v, i) => parts.push([first + (at + i) * step_s, v]));
    const out = [];
    let told = -Infinity;
    for (let i = 0; i < 240; i++) {
        const a = from + i * step, b = a + step;
        let sum = 0, time = 0;
        for (const [t, v] of parts) {
            const part = Math.min(b, t + step_s) - Math.max(a, t);
            if (part > step * 1e-3) [sum, time] = [sum + v * part, time + part];
        }
        if (time) [out[i], told] = [s.kind === 'counter' ? sum / step : sum / time, i];
        else if (s.kind === 'counter' ? told >= 0 : (i - told) * step <= 10) out[i] = s.kind === 'counter' ? 0 : out[i - 1];
    }
    return out.filter(v => v !== undefined);
}

async function live(server) {
    const program = spawn(ORTMETER, ['run', '--quiet', '--', 'node', LIVE, `${process.env.BUILD}/models/decoder`, '1000000'], { stdio: 'ignore', detached: true });
    const page = await open(server, { quiet: [/WebSocket/, /ERR_CONNECTION/] });
    try {
        await until('a live run', async () => (await json(server, '/metrics/current')).inferences.length > 0);
        await page.goto(server.url);
        await settled(page);
        const word = page.locator('#connection b');
        await until('it is live', async () => ['live', 'stale'].includes(await word.innerText()));
        await until('a median', async () => /\d/.test(await figure(page, 'p50')));
        await shot(page, 'live-light');
        await sound(page, 'live');

        // paused: every figure is the API's for the window in the URL
        await page.keyboard.press('Space');
        await until('paused', async () => await word.innerText() === 'paused');
        await until('the window is in the URL', () => /from=.*to=/.test(page.url()));
        const q = new URL(page.url()).searchParams, from = q.get('from'), to = q.get('to');
        const { run_id } = (await json(server, '/metrics/current')).runs[0];
        const asked = `/metrics/history?run=${run_id}&metric=inference_duration_seconds&agg=buckets&form=pieces&from=${from}&to=${to}&width=240`;
        const window = async () => (await json(server, asked)).series.filter(s => s.labels.phase === 'decode');
        const decode = await opensTheSame(page, window);
        for (const [name, share] of [['decode p50', 0.5], ['decode p99', 0.99]]) {
            const [value, count] = quantile(decode, share);
            if (count >= 100) near(await figure(page, name), value, `${name} of ${count}`);
        }
        await page.locator('#pause').click();
        await until('goes on', async () => await word.innerText() !== 'paused' && !page.url().includes('from='));

        // window, theme, help, views by keys
        await page.selectOption('select[aria-label=Window]', '30');
        await until('the window is kept', () => page.url().includes('window=30'));
        await page.locator('body').click({ position: { x: 5, y: 400 } });
        await page.keyboard.press('t');
        assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
        await shot(page, 'live-dark');
        await sound(page, 'live, dark');
        await page.keyboard.press('?');
        await page.locator('dialog#help[open]').waitFor();
        await page.keyboard.press('Escape');
        for (const [key, view] of [['2', 'runs'], ['4', 'compare'], ['5', 'system'], ['1', undefined]]) {
            await page.keyboard.press(key);
            await until(`key ${key}`, () => (new URL(page.url()).searchParams.get('view') ?? undefined) === view);
            await settled(page);
        }

        // metrics that are hidden are neither shown nor asked for
        const sent = [];
        page.on('websocket', socket => socket.on('framesent', frame => sent.push(String(frame.payload))));
        await page.reload();
        await settled(page);
        const heads = page.locator('.live .panel h2');
        await until('subscribed', () => sent.some(m => m.includes('core_busy_ratio')));
        await page.keyboard.press('m');
        await page.locator('#filter-dialog label', { hasText: /^ CPU/ }).click();
        await until('CPU is hidden', async () => page.url().includes('hide=cpu') && !(await heads.allInnerTexts()).includes('CPU'));
        await until('and not asked for', () => sent.at(-1).includes('subscribe') && !sent.at(-1).includes('core_busy_ratio'));
        await page.keyboard.press('Escape');
        await page.reload();
        await settled(page);
        await until('the link keeps it', async () => (await heads.allInnerTexts()).includes('Memory') && !(await heads.allInnerTexts()).includes('CPU'));
        await page.locator('#filter').click();
        await page.locator('#filter-dialog label', { hasText: /^ CPU/ }).click();
        await until('CPU is back', async () => !page.url().includes('hide=') && (await heads.allInnerTexts()).includes('CPU'));
        await page.locator('#filter-dialog button').click();

        // the server goes away and comes back
        await stop(server);
        await until('disconnected', async () => await word.innerText() === 'disconnected');
        const again = await start(['--port', server.port]);
        Object.assign(server, again);
        await until('connected again', async () => ['live', 'stale'].includes(await word.innerText()));
    } finally {
        process.kill(-program.pid, 'SIGKILL');
        await page.context().close();
    }
}

/** A machine with a GPU, an NPU and RAPL, made of files: their use and power go on by themselves. */
function madeMachine(tree) {
    const card = `${tree}/sys/class/drm/card0/device`, accel = `${tree}/sys/class/accel/accel0/device`, zone = `${tree}/sys/class/powercap/intel-rapl:0`;
    const files = {
        [`${card}/uevent`]: 'DRIVER=amdgpu\nPCI_ID=1002:1636\nPCI_SLOT_NAME=0000:05:00.0', [`${card}/gpu_busy_percent`]: 37,
        [`${card}/mem_info_vram_total`]: 8589934592, [`${card}/mem_info_vram_used`]: 1234567168,
        [`${accel}/uevent`]: 'DRIVER=intel_vpu\nPCI_ID=8086:7D1D\nPCI_SLOT_NAME=0000:00:0b.0', [`${accel}/npu_busy_time_us`]: 0, [`${accel}/npu_memory_utilization`]: 4096000,
        [`${zone}/name`]: 'package-0', [`${zone}/energy_uj`]: 0, [`${zone}/max_energy_range_uj`]: 262143328850,
    };
    const put = (path, value) => { // whole or not at all
        writeFileSync(`${tree}/new`, `${value}\n`);
        renameSync(`${tree}/new`, path);
    };
    for (const folder of [card, accel, zone, `${tree}/sys/devices`]) mkdirSync(folder, { recursive: true });
    for (const [path, value] of Object.entries(files)) put(path, value);
    const begin = Date.now();
    return setInterval(() => {
        const ms = Date.now() - begin;
        put(`${zone}/energy_uj`, Math.round(ms * 20_000)); // 20 W
        put(`${accel}/npu_busy_time_us`, Math.round(ms * 300)); // 30 %
        put(`${card}/gpu_busy_percent`, 30 + Math.floor(ms / 1000) % 20);
    }, 50);
}

/** On a made machine: every figure of the paused view is the API's for the window in the URL. */
async function devices(server) {
    if (!process.env.NAMESPACES) return 'skipped: unshare(1) may not make a mount namespace here';
    const tree = `${process.env.TMPDIR}/machine`, timer = madeMachine(tree);
    const program = spawn('unshare', ['-rm', 'sh', '-c', 'mount --rbind /sys/devices "$0/sys/devices" && mount --rbind "$0/sys" /sys && exec "$@"', tree,
        ORTMETER, 'run', '--quiet', '--', 'node', LIVE, `${process.env.BUILD}/models/decoder`, '1000000'], { stdio: 'ignore', detached: true });
    const page = await open(server, { quiet: [/WebSocket/, /ERR_CONNECTION/] });
    const now = title => page.locator('.panel', { has: page.locator('h2', { hasText: title }) }).first().locator('header');
    try {
        const current = async () => (await json(server, '/metrics/current')).runs.find(r => r.status === 'running' && r.inferences > 0);
        await until('a live run', current);
        const { run_id } = await current();
        await page.goto(`${server.url}/?run=${run_id}`);
        await settled(page);
        await until('power, GPU and NPU', async () => /W/.test(await now('Power').innerText()) && /gpu0.*%.*npu0.*%/s.test(await now('GPU, NPU').innerText()));
        await until('a hundred tokens', async () => /\d/.test(await figure(page, 'decode p99')));
        await page.keyboard.press('Space');
        await until('paused', async () => page.url().includes('from='));
        const q = new URL(page.url()).searchParams, from = q.get('from'), to = q.get('to');
        const ask = (metric, agg = 'avg') => json(server, `/metrics/history?run=${run_id}&metric=${metric}&agg=${agg}&form=pieces&from=${from}&to=${to}&width=240`);
        const METRICS = 'device_utilization_ratio,process_cpu_cores,process_resident_bytes,zone_energy_joules_total,inferences_total';
        const all = await opensTheSame(page, async () => [await ask(METRICS), await ask('inference_duration_seconds', 'buckets')]);
        const series = metric => all[0].series.filter(s => s.metric === metric);
        const mean = list => list.reduce((a, b) => a + b, 0) / list.length, column = s => inSteps(s, all[0], Number(from) / 1e9, Number(to) / 1e9);
        const latency = phase => all[1].series.filter(s => s.labels.phase === phase);
        for (const [name, phase, share, least] of [['decode p50', 'decode', 0.5, 1], ['decode p99', 'decode', 0.99, 100], ['first token p50', 'prefill', 0.5, 1]]) {
            const [value, count] = quantile(latency(phase), share);
            if (count >= least) near(await figure(page, name), value, `${name} of ${count}`);
        }
        const cpu = mean(column(series('process_cpu_cores')[0]));
        assert.ok(Math.abs(read(await figure(page, 'CPU')) - cpu) < 0.006, `CPU: the API says ${cpu}`);
        near(await figure(page, 'memory'), column(series('process_resident_bytes')[0]).at(-1), 'memory');
        for (const name of ['gpu0', 'npu0']) {
            const s = series('device_utilization_ratio').find(x => x.labels.device === name);
            near(new RegExp(`${name}\\s+([\\d.]+\\s*%)`).exec(await now('GPU, NPU').innerText())[1], column(s).at(-1), name);
        }
        const [zone] = series('zone_energy_joules_total');
        near(await now('Power').locator('.now').innerText(), column(zone).at(-1), 'power');
        // tokens: decode steps, from the first on; joules: the mean power over them
        const [decode] = latency('decode'), begun = all[1].from_ns / 1e9 + (decode.pieces.buckets[0][0] + 0.5) * all[1].step_s, step = (to - from) / 240e9;
        const tokens = quantile([decode], 0.5)[1] / ((240 - Math.floor((begun - from / 1e9) / step)) * step);
        near(await figure(page, 'tokens'), tokens, 'tokens a second', 0.02);
        near(await figure(page, 'a token, gross'), mean(column(zone)) / tokens, 'joules a token', 0.03);
        await sound(page, 'live with devices');
        await shot(page, 'live-devices');
    } finally {
        process.kill(-program.pid, 'SIGKILL');
        clearInterval(timer);
        await page.context().close();
    }
}

async function signIn() {
    const server = await start(['--port', await freePort(), '--require-token']);
    try {
        const page = await open(server, { quiet: [/401/, /WebSocket/] });
        await page.goto(server.url);
        await page.locator('h1', { hasText: 'Sign in' }).waitFor();
        await sound(page, 'sign-in');
        await page.locator('input.token').fill(server.token);
        await page.keyboard.press('Enter');
        await page.locator('.answer').first().waitFor();
        assert.equal(await page.evaluate(() => sessionStorage.getItem('ortmeter.token')), server.token);
        await page.context().close();
    } finally {
        await stop(server);
    }
}

/** The sample page, from another origin: all four panels, by element and by frame. */
async function embedded(run) {
    const host = createServer((_request, answer) => {
        answer.setHeader('Content-Type', 'text/html');
        answer.end(readFileSync(SAMPLE));
    });
    await new Promise(done => host.listen(0, '127.0.0.1', done));
    const origin = `http://127.0.0.1:${host.address().port}`;
    const server = await start(['--port', await freePort(), '--embed-origin', origin]);
    try {
        const page = await open(server, { also: new URL(origin).host });
        await page.goto(`${origin}/embed.html?server=${server.url}&run=${run}`);
        const look = { performance: '.lat canvas', resource: '.panel canvas', timeline: '.tracks canvas', energy: 'section.panel' };
        for (const theme of ['light', 'dark']) {
            await page.selectOption('#theme', theme);
            for (const [panel, inside] of Object.entries(look)) {
                const frame = () => page.frames().find(f => f.url().includes(`/embed/${panel}?`) && f.url().includes(`theme=${theme}`));
                await until(`a frame with ${panel}, ${theme}`, frame);
                await frame().locator(inside).first().waitFor();
                await until(`${panel} is ${theme}`, () => frame().evaluate(() => document.documentElement.dataset.theme).then(t => t === theme));
                assert.deepEqual(await frame().evaluate(() => window.violations), [], `CSP in ${panel}`);
            }
        }
        assert.equal(page.frames().length, 5, 'each panel once');
        await page.context().close();

        // nobody else is given the module, or may show a panel
        const answer = await fetch(`${server.url}/assets/elements.js`, { headers: { Origin: 'http://elsewhere.example' } });
        assert.equal(answer.status, 403);
        const allowed = await fetch(`${server.url}/assets/elements.js`, { headers: { Origin: origin } });
        assert.equal(allowed.headers.get('Access-Control-Allow-Origin'), origin);
        const asked = await fetch(`${server.url}/api/profiling/runs`, { headers: { Origin: origin } });
        assert.equal(asked.status, 403, 'the host page itself may not ask');
        assert.ok((await fetch(`${server.url}/embed/energy`)).headers.get('Content-Security-Policy').endsWith(`frame-ancestors ${origin}`));
    } finally {
        await stop(server);
        host.close();
        host.closeAllConnections();
    }
}

/** `ortmeter demo`: a recorded run, called so on every view; it leaves nothing behind. */
async function demo() {
    const folder = `${process.env.TMPDIR}/demo`;
    mkdirSync(folder);
    const server = await start(['--port', await freePort()], 'demo', { TMPDIR: folder, ORTMETER_DB: '/nowhere/else.db', ORTMETER_PASSPHRASE: 'of other runs' });
    try {
        const { runs } = await json(server, '/api/profiling/runs');
        assert.equal(runs.length, 1);
        assert.equal((await json(server, '/api/view')).recorded, true);
        const run = runs[0].run_id;
        for (const width of [1440, 390]) {
            const page = await open(server, { width });
            for (const query of ['', '?view=runs', `?view=run&run=${run}`, `?view=timeline&run=${run}`, `?view=graph&run=${run}`, '?view=compare', '?view=system', `?view=run&run=${run}&tab=energy`]) {
                await page.goto(`${server.url}/${query}`);
                await settled(page);
                await page.locator('header .recorded').waitFor();
                assert.match(await page.title(), /^recorded/);
            }
            for (const panel of ['performance', 'resource', 'timeline', 'energy']) {
                await page.goto(`${server.url}/embed/${panel}`);
                await settled(page);
                await page.locator('.recorded').waitFor();
            }
            await page.context().close();
        }
        const page = await open(server), report = await json(server, `/api/report?run=${run}`);
        await page.goto(`${server.url}/?view=run&run=${run}`);
        await settled(page);
        near(await figure(page, 'a token, p50'), report.phases.decode.p50_us / 1e6, 'p50 of a token');
        await page.context().close();
    } finally {
        await stop(server);
    }
    assert.deepEqual(readdirSync(folder), [], 'its copy of the run is gone');
}

async function others(server, run) {
    for (const theme of ['light', 'dark'])
        for (const width of [1440, 390]) {
            const page = await open(server, { theme, width, height: width > 800 ? 900 : 844 });
            for (const [name, query] of [['live', ''], ['runs', '?view=runs'], ['run', `?view=run&run=${run}`], ['timeline', `?view=timeline&run=${run}`], ['graph', `?view=graph&run=${run}`], ['compare', '?view=compare'], ['system', '?view=system'], ...['operators', 'tokens', 'energy', 'memory', 'placement', 'system', 'raw'].map(tab => [tab === 'system' ? 'run-system' : tab, `?view=run&run=${run}&tab=${tab}`])]) {
                await page.goto(`${server.url}/${query}`);
                await settled(page);
                assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is wider than ${width} px`);
                await sound(page, `${name}, ${theme}, ${width}`, rulesOf(theme, width));
                await shot(page, `${name}-${theme}-${width}`);
            }
            await page.context().close();
        }
    const page = await open(server);
    for (const panel of ['performance', 'resource', 'timeline', 'energy']) {
        await page.goto(`${server.url}/embed/${panel}?run=${run}&theme=dark`);
        await settled(page);
        assert.equal(await page.locator('header.bar').count(), 0, `${panel} stands alone`);
        await sound(page, `embed ${panel}`);
    }
    await page.context().close();
}

if (SHOTS) mkdirSync(SHOTS, { recursive: true });
const server = await start(['--port', await freePort()]);
browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'], timeout: PATIENCE });
let failure;
try {
    const [after, before] = (await json(server, '/api/profiling/runs')).runs.map(r => r.run_id);
    const steps = { storedRun: () => storedRun(server, before), timeline: () => timeline(server, before), graph: () => graph(server, before), compare: () => compare(server, before, after), compareSets: () => compareSets(server), runs: () => runs(server), others: () => others(server, before), live: () => live(server), devices: () => devices(server), signIn, embedded: () => embedded(before), demo };
    for (const [name, step] of Object.entries(steps)) {
        if (process.env.ONLY && !process.env.ONLY.split(',').includes(name)) continue;
        const begin = Date.now();
        const outcome = await step() ?? 'ok';
        console.log(`${name} ${outcome}, ${((Date.now() - begin) / 1000).toFixed(1)} s`);
    }
    assert.deepEqual(complaints, [], 'what the browser complained of');
} catch (e) {
    failure = e;
} finally {
    await browser.close();
    await stop(server);
}
if (failure) {
    console.log(complaints.join('\n'));
    console.log(failure.stack);
    console.log(failure.message.split('\n')[0]);
    process.exit(1);
}
