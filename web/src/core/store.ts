// store.ts -- the one store of live data: GET /api/view for the first paint,
// then the deltas of /ws/metrics.  Views read `shown`, which stands still while
// it is paused; the store goes on collecting behind it.

import { currentToken, get, Refused } from './api';
import { Grid, seconds, type Series } from './grid';
import { note, params } from './router';
import { setting } from './theme';
import { operatorsOf } from './operators';
import type { Finding, History, Meter, Missing, Operators, PageEvent, Process, RunRow, SeriesHead, Session, Slow, View } from './types';

export type State = 'connecting' | 'live' | 'paused' | 'stale' | 'disconnected' | 'waiting' | 'ended' | 'refused';

/** What the Live view draws from. */
export interface Shown {
    grid: Grid;
    runs: RunRow[];
    processes: Process[];
    sessions: Session[];
    session?: string;
    phase?: string;
    operators: Operators;
    events: PageEvent[];
    findings: Finding[];
    slow?: Slow;
    meters: Meter[];
    missing: Missing[];
}

const STALE = 2.5; // seconds
export const WINDOWS = [30, 60, 300, 3600, 86400];
export const RATES = [1, 4, 10, 30, 60];
/** What Live shows, and the metrics that each part needs. */
export const GROUPS: Record<string, { name: string; metrics: string[] }> = {
    latency: { name: 'Latency and its distribution', metrics: [] }, // the answer line needs it, as it does power
    rates: { name: 'Inferences, tokens, in flight', metrics: ['inferences_in_flight', 'failed_inferences_total'] },
    cpu: { name: 'CPU', metrics: ['core_busy_ratio', 'host_busy_ratio', 'others_cpu_cores'] },
    devices: { name: 'GPU, NPU', metrics: ['device_utilization_ratio'] },
    memory: { name: 'Memory', metrics: ['session_arena_*', 'process_device_*'] },
    power: { name: 'Power', metrics: [] },
    operators: { name: 'Hottest operators', metrics: [] },
    sessions: { name: 'Sessions', metrics: ['session_busy_seconds_total'] },
};
const METRICS = ['inference_*', 'prefill_*', 'decode_*', 'inferences_total', 'time_*', 'tokens_total',
    'process_cpu_cores', 'process_resident_bytes', 'zone_power_watts', 'zone_energy_joules_total', 'device_power_watts', 'battery_power_watts', 'traced_inferences_total', 'hook_overhead_seconds', 'lost_events_total', 'collector_*'];

const MORE = 'core_busy_ratio,tokens_total,device_utilization_ratio,process_device_memory_bytes,device_power_watts,battery_power_watts,zone_energy_joules_total';
const NEWEST = ['others_cpu_cores', 'session_arena_*', 'session_busy_seconds_total', 'traced_inferences_total'];

const EMPTY_OPERATORS: Operators = { operators: [], total: 0 };
const nothing = (window: number): Shown => ({
    grid: new Grid(window, Date.now() / 1000), runs: [], processes: [], sessions: [], operators: EMPTY_OPERATORS,
    events: [], findings: [], meters: [], missing: [],
});

class Store {
    window = pick(WINDOWS, Number(params().window ?? setting('window')), 60);
    wantedRate = pick(RATES, Number(setting('rate')), 10);
    rate = this.wantedRate;
    role = 'viewer';
    /** A run that came with ortmeter is shown, and the page says so. */
    recorded = false;
    connected = false;
    refusal?: Refused;
    /** Whether /api/view answered once: before, nothing is known. */
    ready = false;
    retryAt = 0;
    lostAt = 0;
    live: Shown = nothing(this.window);
    private frozen?: Shown;
    private pausedAt = 0;
    private socket?: WebSocket;
    private byNumber = new Map<number, Series>();
    private heard = 0; // ms since 1970, by our clock: the last message
    private offset = 0; // the server's clock less ours, in ms
    private silent = new Map<string, number>(); // runs whose collector is not heard: since when
    private attempts = 0;
    private loads = 0;
    private started = false;
    private listeners = new Set<() => void>();
    private retry?: number;
    private fewer = false;
    private stored = false;

    get shown(): Shown {
        return this.frozen ?? this.live;
    }

    get paused() {
        return !!this.frozen;
    }

    on(f: () => void): () => void {
        this.listeners.add(f);
        return () => this.listeners.delete(f);
    }

    private tell() {
        for (const f of this.listeners) f();
    }

    /** Seconds since the newest data was made. */
    get age() {
        const unheard = this.silent.size && this.silent.size >= this.live.runs.length ? Math.min(...this.silent.values()) * 1000 - this.offset : Infinity;
        return Math.max(0, (Date.now() - Math.min(this.heard, unheard)) / 1000);
    }

    /** How far behind a pause is. */
    get behind() {
        return (Date.now() - this.pausedAt) / 1000;
    }

    get state(): State {
        if (this.refusal) return 'refused';
        if (this.paused) return 'paused';
        if (!this.ready) return 'connecting';
        if (!this.connected) return this.lostAt ? 'disconnected' : 'connecting';
        if (!this.live.runs.length) return 'waiting';
        if (!this.live.runs.some(r => r.status === 'running')) return 'ended';
        if (this.age > Math.max(STALE, 5 / this.rate)) return 'stale';
        return 'live';
    }

    start() {
        if (this.started) return;
        this.started = true;
        // The page may hold the first answer already: values at the first paint.
        const embedded = document.getElementById('view');
        if (embedded?.textContent && !params().from && !params().run) {
            try {
                const view: View = JSON.parse(embedded.textContent);
                this.stored = view.runs.length > 0 && !view.runs.some(r => r.status === 'running'); // all of it, then
                this.take(view);
            } catch {
                // not for us; the request below brings it
            }
        }
        void this.load();
        this.connect();
        setInterval(() => this.tell(), 250); // ages grow by themselves
        setInterval(() => void this.refresh(), 5000);
    }

    private query() {
        const p = params();
        return { run: p.run };
    }

    private async load() {
        const turn = ++this.loads; // an answer that came late is for nobody
        try {
            const p = params();
            // The window before is wanted, too: changes are counted against it.
            const fixed = p.from && p.to ? Number(p.to) - Number(p.from) : 0;
            const asked = fixed ? { from: p.from, to: p.to, width: 240 } : this.stored ? {} : { from: `-${2 * this.window}s`, width: 480 };
            const view = await get<View>('/api/view', { ...this.query(), ...asked });
            if (!fixed && !this.stored && view.runs.length && !view.runs.some(r => r.status === 'running')) {
                this.stored = true; // all of it, then, not its last minute
                return void this.load();
            }
            this.stored &&= !view.runs.some(r => r.status === 'running');
            const more = await this.more(view, fixed ? 240 : 480);
            const earlier = fixed ? await get<View>('/api/view', { ...this.query(), from: String(Number(p.from) - fixed), to: p.from, width: 240 }).catch(() => undefined) : undefined;
            if (turn !== this.loads) return;
            this.refusal = undefined;
            if (fixed) {
                this.take(view, more, fixed / 1e9, earlier);
                this.freeze(false);
            } else {
                this.take(view, more);
            }
        } catch (e) {
            if (turn === this.loads && e instanceof Refused && (e.status === 401 || e.status === 403)) this.refusal = e;
        }
        this.tell();
    }

    /** What the view does not hold: the history of cores, tokens, devices. */
    private async more(view: View, width: number): Promise<History | undefined> {
        const run = view.runs[0]?.run_id;
        if (!run || !view.from_ns) return undefined;
        return get<History>('/metrics/history', { run, metric: MORE, from: params().from ?? String(view.from_ns), to: params().to ?? String(view.to_ns), width, form: 'pieces' }).catch(() => undefined);
    }

    /** `earlier` is the window before, where one window is looked at. */
    private take(view: View, more?: History, window = this.window, earlier?: View) {
        const fixed = params().to, end = fixed ? Number(fixed) / 1e9 : view.to_ns ? seconds(view.to_ns) : Date.now() / 1000;
        const grid = new Grid(this.stored && !fixed && view.from_ns ? Math.max(0.1, end - seconds(view.from_ns)) : window, end, fixed ? end : view.from_ns ? seconds(view.from_ns) : 0);
        for (const s of earlier?.series ?? []) grid.load(s, earlier!.from_ns, earlier!.step_s);
        for (const s of view.series) grid.load(s, view.from_ns, view.step_s);
        for (const s of more?.series ?? []) grid.load(s, more!.from_ns, more!.step_s);
        for (const [number, s] of this.byNumber) this.byNumber.set(number, grid.add({ ...s }));
        if (this.ready && !params().from && this.live.grid.window === grid.window) grid.continueWith(this.live.grid); // what the socket told meanwhile
        const found = Array.isArray(view.findings) ? { findings: view.findings, slow: undefined } : view.findings;
        this.live = {
            grid, runs: view.runs, processes: view.processes, sessions: view.sessions,
            session: params().session ?? (view.session === undefined ? undefined : String(view.session)), phase: view.phase ?? phaseOf(view),
            operators: operatorsOf(view.operators), events: view.events,
            findings: found.findings ?? [], slow: found.slow, meters: view.meters, missing: view.missing,
        };
        this.role = view.you?.role ?? this.role;
        this.recorded = view.recorded ?? false;
        this.ready = true;
        this.offset = view.timestamp_ns / 1e6 - Date.now();
        this.heard = Date.now();
    }

    /** Operators and sessions are not pushed: asked for again, as they stand. */
    private async refresh() {
        if (this.paused || !this.connected || document.hidden || !this.live.runs.some(r => r.status === 'running')) return;
        try {
            const view = await get<View>('/api/view', { ...this.query(), from: '-10s', width: 16 });
            Object.assign(this.live, {
                operators: operatorsOf(view.operators), sessions: view.sessions,
                processes: view.processes, runs: view.runs, meters: view.meters, missing: view.missing, phase: view.phase ?? this.live.phase ?? phaseOf(view),
            });
            const found = Array.isArray(view.findings) ? { findings: view.findings } : view.findings;
            this.live.findings = found.findings ?? [];
            for (const e of view.events) this.event(e);
            this.tell();
        } catch {
            // the socket tells what is wrong
        }
    }

    // --- the socket --------------------------------------------------------------

    private connect() {
        const token = currentToken();
        const url = location.origin.replace(/^http/, 'ws') + '/ws/metrics';
        const socket = new WebSocket(url, token ? ['ortmeter.v1', `ortmeter.token.${token}`] : ['ortmeter.v1']);
        this.socket = socket;
        socket.onmessage = e => this.message(JSON.parse(e.data));
        socket.onclose = e => {
            if (this.socket !== socket) return;
            this.connected = false;
            if (e.code === 4401) this.refusal = new Refused(401, 'unauthorized', 'The token expired or was revoked.');
            this.lostAt ||= Date.now();
            const wait = Math.min(15, 0.5 * 2 ** this.attempts++) * (0.8 + 0.4 * Math.random());
            this.retryAt = Date.now() + wait * 1000;
            this.retry = window.setTimeout(() => this.connect(), wait * 1000);
            this.tell();
        };
    }

    reconnect() {
        clearTimeout(this.retry);
        const old = this.socket;
        this.socket = undefined;
        old?.close();
        this.refusal = undefined;
        this.attempts = 0;
        void this.load();
        this.connect();
    }

    private subscribe() {
        const run = params().run, hidden = this.hidden();
        const metrics = [...METRICS, ...Object.entries(GROUPS).flatMap(([name, group]) => (hidden.includes(name) ? [] : group.metrics))];
        this.socket?.send(JSON.stringify({
            type: 'subscribe', id: 'page', metrics: this.fewer ? metrics.filter(n => !NEWEST.includes(n)) : metrics, events: ['event'],
            ...(run ? { runs: [run] } : {}), rate_hz: this.wantedRate, buckets: true,
        }));
    }

    private message(m: any) {
        if (m.timestamp_ns) this.heard = Math.min(Date.now(), m.timestamp_ns / 1e6 - this.offset);
        switch (m.type) {
        case 'hello': {
            this.role = m.role ?? this.role;
            this.connected = true;
            this.lostAt = 0;
            this.attempts = 0;
            this.offset = m.timestamp_ns / 1e6 - Date.now();
            this.subscribe();
            break;
        }
        case 'snapshot':
            this.byNumber.clear();
            this.rate = m.rate_hz ?? this.wantedRate;
            this.series(m.series ?? []);
            this.values({ ...m, values: m.values?.filter((v: unknown[]) => typeof v[1] === 'number') });
            if (!this.paused) void this.load(); // the curve up to here
            break;
        case 'delta':
            if (m.new) this.series(m.new);
            for (const s of m.gone ?? []) {
                const series = this.byNumber.get(s);
                if (series) series.gone = true;
            }
            this.values(m);
            for (const e of m.events ?? []) this.event(e);
            break;
        case 'run':
            if (m.event === 'silent') this.silent.set(m.run.run_id, seconds(m.heard_ns ?? m.timestamp_ns));
            else this.silent.delete(m.run.run_id);
            if (m.event === 'started' || m.event === 'ended') void (this.paused ? 0 : this.load());
            break;
        case 'notice':
            if (m.rate_hz) this.rate = m.rate_hz;
            break;
        case 'error':
            // An older server does not know our newest metrics: without them.
            if (m.code === 'unknown_metric' && m.id === 'page' && !this.fewer) {
                this.fewer = true;
                this.subscribe();
            }
            break;
        }
        this.tell();
    }

    private series(list: (SeriesHead & { s: number })[]) {
        for (const head of list) this.byNumber.set(head.s, this.live.grid.add(head));
    }

    private values(m: { timestamp_ns: number; values?: [number, number][] }) {
        const { grid } = this.live;
        if (this.live.runs.some(r => r.status === 'running')) grid.advance(seconds(m.timestamp_ns));
        for (const [number, value] of m.values ?? []) {
            const s = this.byNumber.get(number);
            if (s) grid.tell(s, value);
        }
    }

    private event(e: PageEvent) {
        const { events } = this.live, at = events.findIndex(x => x.id === e.id);
        if (at >= 0) events[at] = e;
        else events.push(e);
        if (events.length > 2000) events.splice(0, events.length - 2000);
    }

    // --- what the user chooses -----------------------------------------------------

    private freeze(write = true) {
        this.pausedAt = Date.now();
        const { grid } = this.live;
        this.frozen = { ...this.live, grid: grid.copy(), events: [...this.live.events] };
        if (write) note({ from: String(Math.round(grid.from * 1e3) * 1e6), to: String(Math.round(grid.now * 1e3) * 1e6) });
    }

    /** Holds still, or goes on with what came meanwhile. */
    setPaused(pause: boolean) {
        if (pause === this.paused) return;
        if (pause) {
            this.freeze();
        } else {
            this.frozen = undefined;
            note({ from: undefined, to: undefined });
            void this.load(); // a link to a window brought only that window
        }
        this.tell();
    }

    setWindow(window: number) {
        this.window = window;
        setting('window', String(window));
        note({ window: String(window), from: undefined, to: undefined });
        this.frozen = undefined;
        void this.load();
    }

    /** The groups that are not shown: of the link, else as they were left. */
    hidden(): string[] {
        return (params().hide ?? setting('hide') ?? '').split(',').filter(g => g in GROUPS);
    }

    /** Other groups are shown from now on. */
    filter() {
        if (this.connected) this.subscribe();
        this.tell();
    }

    setRate(rate: number) {
        this.wantedRate = this.rate = rate;
        setting('rate', String(rate));
        if (this.connected) this.subscribe();
        this.tell();
    }

    /** Another run, session or phase in the URL. */
    changed() {
        this.frozen = undefined;
        void this.load();
        if (this.connected) this.subscribe();
    }
}

/** Decode, where text is generated: tokens are what one waits for. */
function phaseOf(view: View): string | undefined {
    return view.series.some(s => s.metric === 'inference_duration_seconds' && s.labels.phase === 'decode' && Object.keys(s.pieces ?? {}).length) ? 'decode' : undefined;
}

function pick(from: number[], wanted: number, otherwise: number): number {
    return from.includes(wanted) ? wanted : otherwise;
}

export const store = new Store();
