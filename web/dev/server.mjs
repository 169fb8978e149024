// server.mjs FOLDER [PORT] -- answers as `ortmeter serve` does, for developing
// the page: recorded runs from FOLDER (dev/record.sh), a live one from sim.mjs.
// Set ORTMETER_DEV=empty, token, bare (no devices, no power) for other states.

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bucketOf, step, STEP } from './sim.mjs';

const [folder = '/tmp/ortmeter-dev', port = '8123'] = process.argv.slice(2);
const mode = process.env.ORTMETER_DEV ?? '';
const dist = process.env.ORTMETER_DIST ?? join(dirname(fileURLToPath(import.meta.url)), '../dist');
const read = name => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const report = read('report.json'), exported = read('export.json'), compared = read('compare.json'), doctor = read('doctor.json'), energy = read('energy.json');
const RUN = report.run.id, LIVE = '3a5eb31c-0000-4000-8000-000000000001';
const now = () => Date.now() / 1000, ns = s => Math.round(s * 1e3) * 1e6;

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

// --- live ------------------------------------------------------------------------

const SERIES = [
    ['inference_duration_seconds', 'histogram', { session: '1', phase: 'decode' }, d => d.decode],
    ['inference_duration_seconds', 'histogram', { session: '1', phase: 'prefill' }, d => d.prefill],
    ['inference_duration_seconds', 'histogram', { session: '2', phase: 'other' }, d => d.vad],
    ['inferences_total', 'counter', { session: '1' }, d => d.decode.length + d.prefill.length],
    ['inferences_total', 'counter', { session: '2' }, d => d.vad.length],
    ['session_busy_seconds_total', 'counter', { session: '1' }, d => d.decode.reduce((a, b) => a + b, 0) / 1e9],
    ['traced_inferences_total', 'counter', { session: '1' }, d => (d.prefill.length ? 3 : 0)],
    ['tokens_total', 'counter', {}, d => d.decode.length],
    ['process_cpu_cores', 'gauge', { pid: '12750' }, d => d.cpu, 'cores'],
    ['process_resident_bytes', 'gauge', { pid: '12750' }, d => d.rss, 'bytes'],
    ['process_resident_bytes', 'gauge', { pid: '12749' }, d => d.rss2, 'bytes'],
    ['core_busy_ratio', 'gauge', { cpu: '0' }, d => d.cores[0], 'ratio'],
    ['core_busy_ratio', 'gauge', { cpu: '1' }, d => d.cores[1], 'ratio'],
    ['others_cpu_cores', 'gauge', {}, d => d.others, 'cores'],
    ['inferences_in_flight', 'gauge', {}, d => d.flight],
    ['hook_overhead_seconds', 'gauge', { pid: '12750' }, () => 5.8e-8, 'seconds'],
    ...(mode === 'bare' ? [] : [
        ['device_utilization_ratio', 'gauge', { device: 'GPU 0' }, d => d.gpu, 'ratio'],
        ['device_utilization_ratio', 'gauge', { device: 'NPU 0' }, d => d.npu, 'ratio'],
        ['zone_power_watts', 'gauge', { zone: 'package-0' }, d => d.watts, 'watts', 'measured'],
        ['zone_power_watts', 'gauge', { zone: 'dram' }, d => d.memory, 'watts', 'measured'],
    ]),
].map(([metric, kind, labels, value, unit, method], i) => ({ s: i + 1, metric, kind, labels, unit, method, value, run_id: LIVE }));
const head = ({ s, metric, kind, labels, unit, method, run_id }) => ({ s, metric, kind, labels, unit, method, run_id });
const pairs = list => {
    const m = new Map();
    for (const v of list) m.set(bucketOf(v), (m.get(bucketOf(v)) ?? 0) + 1);
    return [...m].flat();
};

function history(from, to, stepS) {
    const each = Math.max(1, Math.round(stepS / STEP)), thin = Math.max(1, Math.floor(each / 10));
    const n = Math.round((to - from) / stepS), k0 = Math.round(from / STEP), cols = SERIES.map(() => []);
    for (let i = 0; i < n; i++) {
        const list = [];
        for (let j = 0; j < each; j += thin) list.push(step(k0 + i * each + j));
        SERIES.forEach((s, x) => {
            const v = list.map(s.value);
            cols[x].push(s.kind === 'histogram' ? pairs(v.flat()) : s.kind === 'counter' ? v.reduce((a, b) => a + b, 0) / (list.length * STEP) : v.reduce((a, b) => a + b, 0) / v.length);
        });
    }
    return SERIES.map((s, x) => ({ ...head(s), pieces: { [s.kind === 'histogram' ? 'buckets' : s.kind === 'counter' ? 'sum' : 'avg']: [[0, ...cols[x]]] } }));
}

const OPERATORS = sameOperators();
const liveRow = () => ({ run_id: LIVE, timestamp: new Date(Date.now() - 3e5).toISOString(), status: 'running', command: 'sh both.sh', model_name: 'llama-mini-12l', host_name: 'vm', inferences: 41230, failed: 0, lost: 0, models: ['llama-mini-12l'] });
const sessions = () => [
    { run_id: LIVE, session_id: `${LIVE}/session/1`, id: 1, process: 1, pid: 12750, model: 'llama-mini-12l', providers: ['CPUExecutionProvider'], provider: 'CPU', load_ms: 673, live: true, inferences: 41230, failed: 0 },
    { run_id: LIVE, session_id: `${LIVE}/session/2`, id: 2, process: 2, pid: 12749, model: 'silero_vad', providers: ['CPUExecutionProvider'], provider: 'CPU', load_ms: 28.4, live: true, inferences: 12010, failed: 0 },
];
const processes = [{ run_id: LIVE, id: 1, pid: 12750, program: 'node assistant.mjs', hook_ns: 58, ort: { version: '1.30.0' } }, { run_id: LIVE, id: 2, pid: 12749, program: 'node wake.mjs', hook_ns: 58, ort: { version: '1.30.0' } }];

function view(q) {
    const base = { timestamp_ns: ns(now()), you: { role: 'admin' }, processes: [], sessions: [], series: [], operators: { operators: [], total: 0 }, events: [], findings: [], meters: [], missing: [] };
    if (mode === 'empty') return { ...base, runs: [], from_ns: ns(now() - 60), to_ns: ns(now()), step_s: 0.25 };
    const window = /^-(\d+)s$/.exec(q.get('from') ?? '') ? Number(/^-(\d+)s$/.exec(q.get('from'))[1]) : q.get('from') ? (Number(q.get('to')) - Number(q.get('from'))) / 1e9 : 60;
    const end = q.get('to') ? Number(q.get('to')) / 1e9 : now(), stepS = Math.max(STEP, window / Number(q.get('width') ?? 240));
    const from = Math.floor((end - window) / stepS) * stepS, vad = (q.get('session') ?? '').endsWith('2');
    const events = [];
    if (window < 4000) for (let k = Math.floor((end - window) / STEP); k < end / STEP; k++) events.push(...step(k).slow, ...step(k).prefill.map(p => ({ id: `live/gen/${k}`, run_id: LIVE, timestamp_ns: ns(k * STEP), kind: 'generation', session: 1, first_ms: p / 1e6, tokens: 32 })));
    return {
        ...base, runs: [liveRow()], session: vad ? `${LIVE}/session/2` : `${LIVE}/session/1`, phase: vad ? undefined : 'decode', from_ns: ns(from), to_ns: ns(end), step_s: stepS,
        processes, sessions: sessions(), series: history(from, end, stepS), operators: OPERATORS, events: events.slice(-400),
        meters: [{ run_id: LIVE, live: true, paused: false, rate_hz: 100, ops: 'auto', hook_ns: 58, collector_cores: 0.0228, collector_bytes: 26.3e6, lost: 0 }],
        missing: mode === 'bare' ? [{ sampler: 'nvml', reason: "NVIDIA's driver is not loaded" }, { sampler: 'amdgpu', reason: 'there is no AMD GPU with the driver amdgpu' }, { metric: 'zone_power_watts', reason: 'A virtual machine has no power sensor; ten sources were tried.' }] : [],
    };
}

// --- a stored run --------------------------------------------------------------------

function sameOperators() {
    const by = new Map();
    for (const o of report.ops) {
        const key = o.layer === undefined ? o.name : o.name.replace(/layers\.\d+/, 'layers.*') + o.op_type;
        const e = by.get(key) ?? { ...o, name: o.name.replace(/layers\.\d+/, 'layers.*'), layers: [], operators: 0, share: 0, per_inference_us: 0, total_us: 0, phases: undefined, shapes: undefined };
        if (o.layer !== undefined) e.layers.push([o.layer, o.median_us]);
        e.operators++; e.share += o.share; e.per_inference_us += o.mean_us; e.total_us += o.total_us; e.before_us = e.per_inference_us * 1.04;
        by.set(key, e);
    }
    return { operators: [...by.values()].sort((a, b) => b.share - a.share), total: by.size, inferences: 48, traced: 17, operators_us: 4930, gaps: report.gaps, missing: [] };
}

function operators(q) {
    const by = q.get('by') ?? 'node';
    if (by === 'same') return OPERATORS;
    if (by === 'type') return { operators: report.op_types.map(t => ({ ...t, mean_us: t.self_us / 48 })), total: report.op_types.length, inferences: 48, gaps: report.gaps };
    const id = q.get('id');
    const bytes = o => exported.operators.find(x => x.id === o.id) ?? {};
    return {
        operators: report.ops.filter(o => !id || o.id === Number(id)).map(o => ({ ...o, per_inference_us: o.mean_us, activation_bytes: bytes(o).activation_bytes, parameter_bytes: bytes(o).parameter_bytes, output_bytes: bytes(o).output_bytes, input_shapes: bytes(o).inputs, output_shapes: bytes(o).outputs, shapes: undefined })),
        total: report.ops.length, inferences: 48, gaps: report.gaps, operators_us: 4930, missing: [],
    };
}

const delta = list => list.map((v, i) => (i ? v - list[i - 1] : v));
function spans() {
    const infer = exported.inferences, byThread = new Map();
    for (const o of exported.operator_runs) byThread.set(o.thread, [...(byThread.get(o.thread) ?? []), o]);
    const tracks = [
        { kind: 'load', process: 1, start_ns: delta(exported.sessions.map(s => s.start_ns)), duration_ns: exported.sessions.map(s => s.duration_ns), of: exported.sessions.map(s => s.id) },
        { kind: 'inference', process: 1, thread: infer[0].thread, start_ns: delta(infer.map(i => i.start_ns)), duration_ns: infer.map(i => i.duration_ns), of: infer.map(i => i.number) },
        ...[...byThread].map(([thread, list]) => ({ kind: 'operator', process: 1, thread, name: 'node', provider: 'CPUExecutionProvider', start_ns: delta(list.map(o => o.start_ns)), duration_ns: list.map(o => o.kernel_ns), of: list.map(o => o.operator) })),
    ];
    return { run_id: RUN, from_ns: report.run.started_ns, to_ns: report.run.started_ns + exported.run.duration_ns, clock: 'seen', tracks, total: exported.operator_runs.length, missing: [] };
}

/** Many spans, to try how it feels: the recorded ones over and over. */
function manySpans(copies) {
    const s = spans(), length = exported.run.duration_ns;
    for (const t of s.tracks) {
        const start = [], dur = [], of = [];
        let at = 0;
        const abs = t.start_ns.map(d => (at += d));
        for (let c = 0; c < copies; c++) abs.forEach((a, i) => { start.push(a + c * length); dur.push(t.duration_ns[i]); of.push(t.of[i]); });
        Object.assign(t, { start_ns: delta(start), duration_ns: dur, of });
    }
    return { ...s, to_ns: s.from_ns + copies * length, total: s.total * copies };
}

function graph() {
    const ops = new Map(report.ops.map(o => [o.id, o])), groups = report.fusion[0]?.groups ?? [];
    return {
        run_id: RUN, session: 1, model: 'decoder/model', file_nodes: report.fusion[0]?.file_nodes, gone: [], missing: [],
        nodes: exported.operators.map(o => {
            const r = ops.get(o.id) ?? {}, fused = groups.find(g => g.name === o.name);
            return { id: o.id, name: o.name, op_type: o.op_type, provider: o.provider, origin: fused ? 'fused' : o.node_index === undefined ? 'inserted' : 'file', fused_from: fused?.nodes, layer: r.layer, component: r.component, count: r.count ?? 0, total_us: r.total_us, mean_us: r.mean_us, per_inference_us: r.mean_us, share: r.share, joules: r.joules, flops: r.flops, output_bytes: o.output_bytes };
        }),
        edges: exported.operator_edges.map(e => ({ from: e.from_operator, to: e.to_operator, bytes: exported.operators.find(o => o.id === e.from_operator)?.output_bytes })),
    };
}

function reading(metric, points) {
    return { from_ns: report.run.started_ns, to_ns: report.run.started_ns + exported.run.duration_ns, step_s: 0, series: metric.split(',').map(m => {
        const list = exported.readings.filter(r => r.metric === m);
        return { metric: m, unit: m.endsWith('_bytes') ? 'bytes' : m.endsWith('_cores') ? 'cores' : '', kind: 'gauge', labels: {}, points: list.map(r => [report.run.started_ns + r.time_ns, r.value]).slice(0, points) };
    }).filter(s => s.points.length), missing: [] };
}

function compare() {
    const kinds = ['median_us', 'mean_us', 'p95_us', 'p99_us', 'ttft_ms', 'tpot_ms', 'peak_rss_bytes'];
    const a = exported.inferences.map(i => i.duration_ns);
    return {
        ...compared, verdict: 'cannot_tell', not_alike: [], differs: [],
        figures: kinds.filter(k => compared[k]).map(k => ({ name: k.replace(/_(us|ms|bytes)$/, ''), unit: /bytes/.test(k) ? 'bytes' : /_us$/.test(k) ? 'us' : 'ms', before: compared[k].before, after: compared[k].after, change: compared[k].ratio - 1, interval: k === 'median_us' ? compared.median_ratio_interval.map(v => v - 1) : undefined, verdict: 'cannot_tell' })),
        latency: { before: pairs(a), after: pairs(a.map(v => v * 1.04)), shift_us: [[5, 20, -10, 60], [25, 33, 5, 60], [50, 40, 10, 80], [75, 90, -20, 200], [95, 300, -200, 800]] },
        operators: compared.operators.map(o => ({ ...o, change_us: o.us.after - o.us.before, verdict: 'cannot_tell' })), missing: [],
    };
}

const row = () => ({ ...exported.run, inferences: 48, failed: 0, models: ['decoder/model'], model_name: 'decoder/model', host_name: 'vm', tags: 'demo,base', figures: { inference_duration_p50_seconds: report.latency.p50_us / 1e6, inferences_per_second: 85.8 } });
const rows = [row(), { ...row(), run_id: compared.after, timestamp: new Date().toISOString(), tags: '' }];
const sources = { sources: doctor.sources, samplers: doctor.samplers, missing: doctor.missing, looked_ns: ns(now()), took_ms: 85 };
const system = { ortmeter_version: '0.1.0', api_version: 1, host: doctor.host, ort: doctor.ort, server: { started_ns: ns(now()), bind: '127.0.0.1', tls: false, token_required: false, encrypted: false, websocket_clients: 1, live_runs: 1 }, you: { role: 'admin' }, formats: ['json', 'csv'], tables: [], configuration: doctor.configuration };

const P = '/api/profiling';
const ROUTES = {
    '/api/view': view, '/api/operators': operators, '/api/graph': graph, '/api/compare': compare,
    '/api/spans': () => (process.env.ORTMETER_SPANS ? manySpans(Number(process.env.ORTMETER_SPANS)) : spans()),
    '/api/report': () => ({ ...report, energy: energy.energy, missing: [] }), '/api/sources': () => sources, '/api/system': () => system,
    '/api/events': () => ({ events: [], total: 0, limit: 200 }), '/api/findings': () => ({ findings: [] }),
    '/api/sessions': () => ({ sessions: report.sessions.map(s => ({ ...s, run_id: RUN })), processes: [], missing: [] }),
    [`${P}/runs`]: q => ({ runs: rows.filter(r => !q.get('q') || JSON.stringify(r).includes(q.get('q'))), total: 2, limit: 100, offset: 0 }),
    '/metrics/history': q => reading(q.get('metric') ?? '', 11000),
};

const server = createServer((req, res) => {
    const url = new URL(req.url, 'http://x'), q = url.searchParams;
    const send = (status, body, type = 'application/json', more = {}) => res.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store', ...more }).end(body);
    const problem = (status, code, detail) => send(status, JSON.stringify({ status, code, detail }), 'application/problem+json');
    if (mode === 'token' && url.pathname.startsWith('/api/') && req.headers.authorization !== 'Bearer ortm_dev') return problem(401, 'unauthorized', 'A token is needed.');
    if (url.pathname === '/' || url.pathname.startsWith('/embed/')) return send(200, readFileSync(join(dist, 'index.html')), TYPES['.html'], { 'Content-Security-Policy': CSP });
    const file = join(dist, url.pathname);
    if (url.pathname.startsWith('/assets/') && existsSync(file)) return send(200, readFileSync(file), TYPES[extname(file)] ?? 'application/octet-stream');
    if (ROUTES[url.pathname]) return send(200, JSON.stringify(ROUTES[url.pathname](q)));
    const one = new RegExp(`^${P}/(run|export)/([\\w-]+)(/\\w+)?$`).exec(url.pathname);
    if (one && req.method === 'DELETE') {
        const at = rows.findIndex(r => r.run_id === one[2]);
        if (at < 0) return problem(404, 'not_found', 'There is no such run.');
        rows.splice(at, 1);
        return send(200, JSON.stringify({ success: true, message: 'deleted', run_id: one[2] }));
    }
    if (one && req.method === 'PATCH') return send(200, JSON.stringify(rows[0]));
    if (one?.[1] === 'export') return send(200, JSON.stringify(exported), 'application/json', { 'Content-Disposition': `attachment; filename="profiling_run_${one[2]}.json"` });
    if (one) return send(200, JSON.stringify({ run: rows.find(r => r.run_id.startsWith(one[2])) ?? rows[0], power_samples: exported.power_samples, pipeline_sections: [], tokens: exported.tokens }));
    return problem(404, 'not_found', `There is no ${url.pathname}.`);
});

// --- the socket: text frames only ------------------------------------------------------

function frame(text) {
    const body = Buffer.from(text), n = body.length;
    const head = n < 126 ? Buffer.from([0x81, n]) : n < 65536 ? Buffer.from([0x81, 126, n >> 8, n & 255]) : Buffer.concat([Buffer.from([0x81, 127, 0, 0, 0, 0]), Buffer.from(new Uint32Array([n]).buffer).reverse()]);
    return Buffer.concat([head, body]);
}

function unframe(data) {
    const n = data[1] & 127, at = n === 126 ? 4 : n === 127 ? 10 : 2, size = n === 126 ? data.readUInt16BE(2) : n;
    const mask = data.subarray(at, at + 4), body = Buffer.from(data.subarray(at + 4, at + 4 + size));
    for (let i = 0; i < body.length; i++) body[i] ^= mask[i & 3];
    return { op: data[0] & 15, text: body.toString() };
}

server.on('upgrade', (req, socket) => {
    const offered = (req.headers['sec-websocket-protocol'] ?? '').split(', ');
    if (mode === 'token' && !offered.includes('ortmeter.token.ortm_dev')) return socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
    const accept = createHash('sha1').update(req.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ortmeter.v1\r\n\r\n`);
    const tell = m => socket.write(frame(JSON.stringify({ timestamp_ns: ns(now()), ...m })));
    let timer, seq = 0, last, totals;
    tell({ type: 'hello', protocol: 1, server: 'ortmeter dev', role: 'admin' });
    socket.on('data', data => {
        const { op, text } = unframe(data);
        if (op === 8) return socket.end();
        if (op !== 1) return;
        const m = JSON.parse(text);
        if (m.type !== 'subscribe' || mode === 'empty') return;
        clearInterval(timer);
        last = Math.floor(now() / STEP);
        totals = SERIES.map(() => 1000);
        tell({ type: 'snapshot', id: m.id, seq: seq++, rate_hz: m.rate_hz, runs: [liveRow()], series: SERIES.map(head), values: SERIES.map((s, i) => [s.s, s.kind === 'gauge' ? s.value(step(last)) : s.kind === 'counter' ? totals[i] : { count: 0, sum: 0, new: [] }]) });
        timer = setInterval(() => {
            const end = Math.floor(now() / STEP), list = [];
            for (; last < end; last++) list.push(step(last));
            if (!list.length) return;
            const values = SERIES.map((s, i) => {
                if (s.kind === 'gauge') return [s.s, s.value(list.at(-1))];
                if (s.kind === 'counter') return [s.s, totals[i] += list.reduce((a, d) => a + s.value(d), 0)];
                return [s.s, { count: 1, sum: 1, new: pairs(list.flatMap(s.value)) }];
            });
            tell({ type: 'delta', id: m.id, seq: seq++, values, events: list.flatMap(d => d.slow) });
        }, 1000 / (m.rate_hz ?? 10));
    });
    socket.on('close', () => clearInterval(timer));
    socket.on('error', () => clearInterval(timer));
});
server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/`));
