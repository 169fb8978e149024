// page.mjs -- how smooth the page is, in a real browser on the real server.
//
//     node bench/page.mjs BUILD FOLDER WEB BROWSER [MINUTES]
//
// Prints a row for each figure with its aim; nothing is judged, since a machine
// without a GPU draws on the CPU that the page needs, too: what that alone costs
// is a row of its own.  MINUTES of metrics are replayed, ten if not told.
import {execFileSync, spawn} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import {setTimeout as sleep} from 'node:timers/promises';

const [build, folder, web, browserPath, minutes = 10] = process.argv.slice(2);
const {chromium} = createRequire(web + '/')('playwright-core');
const ortmeter = build + '/ortmeter';
Object.assign(process.env, {ORTMETER_DB: folder + '/page.db', XDG_STATE_HOME: folder,
    XDG_RUNTIME_DIR: folder, ORT_DISABLE_TELEMETRY: '1'});
const started = [];

function start(command, args) {
    const child = spawn(command, args, {stdio: ['ignore', 'ignore', 'pipe']});
    started.push(child);
    return child;
}

function serving(child) {
    return new Promise((done, failed) => {
        let text = '';
        child.stderr.on('data', (data) => {
            text += data;
            const found = /serving at (http:\/\/127.0.0.1:\d+)\//.exec(text);
            if (found)
                done(found[1]);
        });
        child.on('exit', () => failed(new Error('no server: ' + text)));
    });
}

function end(child) {
    const gone = new Promise((done) => child.on('exit', done));
    child.kill();
    return gone;
}

// A program of so many inferences a second, and the run that it is.
async function running(url, rate) {
    const runs = async () => (await (await fetch(url + '/metrics/current')).json()).runs;
    const old = (await runs()).map((r) => r.run_id);
    const program = start(ortmeter, ['run', '-q', '--', build + '/bench/paced',
        build + '/bench/libbench_ort.so', String(rate), '100000']);
    for (;; await sleep(100)) {
        const run = (await runs()).find((r) => r.inferences > 0 && !old.includes(r.run_id));
        if (run)
            return [program, run.run_id];
    }
}

const quantile = (list, q) => [...list].sort((a, b) => a - b)[
    Math.min(list.length - 1, Math.floor(q * list.length))];
const ms = (v) => v.toFixed(1) + ' ms';

// An ONNX Runtime profile of 800 inferences with 125 operators each.
function writeProfile(path) {
    const all = [];
    let ts = 1000;
    const event = (cat, name, from, dur, args) => all.push({cat, pid: 1, tid: 1, dur,
        ts: from, ph: 'X', name, args});
    event('Session', 'session_initialization', 10, 900, {});
    for (let i = 0; i < 800; i++) {
        const from = ts;
        for (let k = 0; k < 125; k++) {
            const dur = 2 + (k * 7 + i * 3) % 40, type = k % 5 ? 'Add' : 'MatMul';
            event('Node', `/model/layers.${k % 12}/mlp/${type}_${k}_kernel_time`, ts, dur,
                {op_name: type, provider: 'CPUExecutionProvider', node_index: String(k)});
            ts += dur + 1;
        }
        event('Session', 'model_run', from, ts - from, {});
        ts += 20;
    }
    fs.writeFileSync(path, JSON.stringify(all));
}

// --- in the browser -----------------------------------------------------------

// How long the page works in each frame; what comes from the server can be
// held back and replaced.
function tap() {
    const frame = window.requestAnimationFrame.bind(window);
    const taps = window.taps = {frame, work: [], messages: []};
    window.requestAnimationFrame = (f) => frame((t) => {
        const from = performance.now();
        f(t);
        taps.work.push(performance.now() - from);
    });
    const Socket = window.WebSocket;
    window.WebSocket = class extends Socket {
        set onmessage(f) {
            taps.take = f;
            this.addEventListener('message', (e) => {
                if (taps.held)
                    return;
                const m = JSON.parse(e.data);
                if (m.type === 'snapshot')
                    taps.series = m.series;
                for (const s of m.new ?? [])
                    taps.series.push(s);
                f(e);
                taps.heard?.(m);
            });
        }
    };
}

// Acts in every frame for a while: how far the frames were apart.
function frames({seconds, what}) {
    const {frame} = window.taps ?? {frame: window.requestAnimationFrame.bind(window)};
    const canvas = document.querySelector('.tracks canvas, canvas');
    const g = what === 'fill' ? canvas.getContext('2d') : null;
    const gaps = [];
    if (window.taps)
        window.taps.work = [];
    return new Promise((done) => {
        let last = 0, n = 0;
        const begin = performance.now();
        frame(function turn(t) {
            if (last)
                gaps.push(t - last);
            last = t;
            n++;
            if (g) {
                g.fillStyle = n % 2 ? '#fff' : '#eee';
                g.fillRect(0, 0, canvas.width, canvas.height);
            } else { // in for a while, along, and out again
                const box = canvas.getBoundingClientRect(), part = n % 240;
                const zooms = part < 80 || part >= 160;
                canvas.dispatchEvent(new WheelEvent('wheel', {
                    bubbles: true, cancelable: true, clientX: box.left + box.width / 2,
                    clientY: box.top + 60, shiftKey: !zooms,
                    deltaY: part < 80 ? -30 : part < 160 ? (part < 120 ? 40 : -40) : 30}));
            }
            if (performance.now() - begin < seconds * 1000)
                frame(turn);
            else
                done({gaps, work: window.taps?.work ?? []});
        });
    });
}

// So many ticks of 100 Hz, ten times as fast as they were made.
function replay({ticks, speed}) {
    const {taps} = window;
    taps.held = true;
    const kinds = taps.series.map((s) => [s.s, /_duration_seconds$|^time_/.test(s.metric)
        ? 'histogram' : s.kind === 'counter' || s.metric.endsWith('_total') ? 'counter' : 'gauge']);
    const count = new Map(kinds.map(([s]) => [s, 0]));
    taps.clock ??= Date.now() * 1e6;
    const message = () => {
        const values = [];
        for (const [s, kind] of kinds) {
            const n = count.get(s) + 1;
            count.set(s, n);
            values.push([s, kind === 'histogram'
                ? {count: n, sum: n * 1e-3, new: [900 + Math.floor(Math.random() * 90), 1]}
                : kind === 'counter' ? n : Math.random()]);
        }
        return JSON.stringify({type: 'delta', timestamp_ns: taps.clock += 1e7, values});
    };
    const gaps = [], taken = [];
    taps.work = [];
    return new Promise((done) => {
        let last = 0, sent = 0;
        const begin = performance.now();
        taps.frame(function turn(t) {
            if (last)
                gaps.push(t - last);
            last = t;
            if (sent < ticks)
                taps.frame(turn);
        });
        const timer = setInterval(() => {
            const due = Math.min(ticks, Math.floor((performance.now() - begin) / 10 * speed));
            const texts = [];
            for (; sent < due && texts.length < 4 * speed; sent++)
                texts.push(message());
            const from = performance.now();
            for (const data of texts)
                taps.take({data});
            taken.push((performance.now() - from) / texts.length || 0);
            if (sent < ticks)
                return;
            clearInterval(timer);
            done({gaps, taken, work: taps.work, seconds: (performance.now() - begin) / 1000});
        }, 10);
    });
}

// When a lone inference shows at the right end of the latency chart.
function watchPixels(colour) {
    const {taps} = window, seen = window.painted = [];
    const canvas = document.querySelector('.lat canvas');
    const g = canvas.getContext('2d', {willReadFrequently: true});
    const near = (p, i) => colour.every((c, k) => Math.abs(p[i + k] - c) < 40);
    const shows = () => {
        const p = g.getImageData(canvas.width - 10, 0, 10, canvas.height).data;
        for (let i = 0; i < p.length; i += 4)
            if (near(p, i))
                return true;
        return false;
    };
    let before = true;
    const look = () => taps.frame(() => {
        const now = shows(); // what the frame before this one painted
        if (now && !before)
            seen.push(performance.timeOrigin + performance.now());
        before = now;
        look();
    });
    look();
}

// --- what is measured -----------------------------------------------------------

async function opened(browser, url, init) {
    const context = await browser.newContext({viewport: {width: 1440, height: 900}});
    await context.addInitScript(tap);
    if (init)
        await context.addInitScript(init);
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(url);
    return page;
}

const rows = [];
const row = (what, value, aim = '') => {
    rows.push([what, value, aim]);
    console.log(`${what.padEnd(44)} ${value}${aim ? `   (aim ${aim})` : ''}`);
};

async function timeline(browser, url, run) {
    const page = await opened(browser, `${url}/?view=timeline&run=${run}`);
    await page.locator('.tracks canvas').waitFor();
    const spans = await (await fetch(`${url}/api/spans?run=${run}`)).json();
    await page.evaluate(frames, {seconds: 2}); // warm
    const {gaps, work} = await page.evaluate(frames, {seconds: 10});
    const fps = 1000 / (gaps.reduce((a, b) => a + b, 0) / gaps.length);
    row(`pan and zoom, ${spans.total} operator spans`, `${fps.toFixed(1)} fps, frame p99 ${ms(quantile(gaps, 0.99))}`, '>= 55 fps');
    row('  of it the page draws', `p50 ${ms(quantile(work, 0.5))}, p99 ${ms(quantile(work, 0.99))} a frame`);
    const box = await page.locator('.tracks canvas').boundingBox();
    await page.context().close();
    const blank = await browser.newPage({viewport: {width: 1440, height: 900}});
    await blank.setContent(`<canvas width=${Math.round(box.width)} height=${Math.round(box.height)}></canvas>`);
    await blank.evaluate(frames, {seconds: 1, what: 'fill'});
    const alone = await blank.evaluate(frames, {seconds: 5, what: 'fill'});
    const renderer = await blank.evaluate(() => {
        const g = document.createElement('canvas').getContext('webgl');
        return g ? g.getParameter(g.getExtension('WEBGL_debug_renderer_info')?.UNMASKED_RENDERER_WEBGL ?? g.RENDERER) : 'no WebGL';
    });
    row('  an empty canvas of that size, same browser', `${(1000 / (alone.gaps.reduce((a, b) => a + b, 0) / alone.gaps.length)).toFixed(1)} fps, frame p99 ${ms(quantile(alone.gaps, 0.99))}`);
    row('  drawn by', renderer);
    await blank.close();
}

async function interactive(browser, url) {
    const times = [];
    for (let i = 0; i < 5; i++) {
        const page = await opened(browser, url, () => {
            new MutationObserver((_, self) => {
                const b = document.querySelector('.answer .fig b');
                if (!b || !/\d/.test(b.textContent))
                    return;
                self.disconnect();
                setTimeout(() => { window.interactive = performance.now(); });
            }).observe(document, {subtree: true, childList: true, characterData: true});
        });
        await page.waitForFunction(() => window.interactive &&
            performance.getEntriesByName('first-contentful-paint').length);
        times.push(await page.evaluate(() => [window.interactive,
            performance.getEntriesByName('first-contentful-paint')[0].startTime]));
        await page.context().close();
    }
    row('time to interactive, with values', `${ms(quantile(times.map((t) => t[0]), 0.5))}, first paint ${ms(quantile(times.map((t) => t[1]), 0.5))}`, '< 1 s');
}

async function heap(cdp) {
    await cdp.send('HeapProfiler.collectGarbage');
    return (await cdp.send('Runtime.getHeapUsage')).usedSize;
}

async function metrics(browser, url) {
    const page = await opened(browser, url), speed = 10;
    await page.locator('.answer .fig b').first().waitFor();
    await page.waitForFunction(() => window.taps.series?.length);
    const cdp = await page.context().newCDPSession(page);
    await page.evaluate(replay, {ticks: 24000, speed}); // four windows: warm
    const before = await heap(cdp);
    const {gaps, taken, work, seconds} = await page.evaluate(replay, {ticks: minutes * 6000, speed});
    const after = await heap(cdp);
    row(`longest frame, ${minutes} min of 100 Hz in ${seconds.toFixed(0)} s`, `${ms(quantile(gaps, 1))}, p99 ${ms(quantile(gaps, 0.99))}; drawing at most ${ms(quantile(work, 1))}, a message p99 ${ms(quantile(taken, 0.99))}`, '< 50 ms');
    row('heap after it, against warm-up', `${(after / 1e6).toFixed(1)} MB of ${(before / 1e6).toFixed(1)} MB, ${((after / before - 1) * 100).toFixed(1)} %`, '< 10 %');
    await page.context().close();
}

// Ends of inferences, as the server's rows tell them.
async function ends(url, run, from, to) {
    const list = [];
    for (const i of (await (await fetch(`${url}/timeline?run=${run}&limit=100000`)).json()).inferences)
        list.push(i.start_time_ns / 1e6 + i.duration_ms);
    return list.filter((t) => t >= from && t <= to);
}

async function eventToPixel(browser, url, hz, aim) {
    const [program, run] = await running(url, 1);
    const page = await opened(browser, `${url}/?run=${run}`, `localStorage.setItem('ortmeter.rate', '${hz}'); localStorage.setItem('ortmeter.window', '30')`);
    await page.locator('.lat canvas').waitFor();
    const colour = await page.evaluate(() => {
        const i = document.body.appendChild(document.createElement('i'));
        i.className = 'bg-decode-line';
        const c = getComputedStyle(i).backgroundColor;
        i.remove();
        return c.match(/\d+/g).slice(0, 3).map(Number);
    });
    await sleep(5000);
    const from = Date.now();
    await page.evaluate(watchPixels, colour);
    await sleep(60_000);
    const painted = await page.evaluate(() => window.painted), to = Date.now();
    await page.context().close();
    await end(program);
    const waits = [];
    for (const end of await ends(url, run, from, to - 1000)) {
        const at = painted.find((p) => p >= end);
        if (at !== undefined)
            waits.push(at - end);
    }
    row(`event to painted pixel at ${hz} Hz`, waits.length ? `p50 ${ms(quantile(waits, 0.5))}, p99 ${ms(quantile(waits, 0.99))} of ${waits.length}` : 'none was seen', aim);
}

async function main() {
    writeProfile(folder + '/profile.json');
    execFileSync(ortmeter, ['import', folder + '/profile.json'], {stdio: 'ignore'});
    const url = await serving(start(ortmeter, ['serve']));
    const {runs} = await (await fetch(url + '/api/profiling/runs')).json();
    const browser = await chromium.launch({executablePath: browserPath, args: ['--no-sandbox']});
    try {
        await timeline(browser, url, runs[0].run_id);
        const [program] = await running(url, 100);
        await interactive(browser, url);
        await metrics(browser, url);
        await end(program);
        await eventToPixel(browser, url, 60, 'p99 < 100 ms');
        await eventToPixel(browser, url, 10, '');
    } finally {
        await browser.close();
    }
}

main().catch((e) => {
    console.error('bench/page.mjs: ' + e.message);
    process.exitCode = 1;
}).finally(() => {
    for (const child of started)
        child.kill();
});
