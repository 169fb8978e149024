// store.ts -- the one store of live data: GET /api/view for the first paint,
// then the deltas of /ws/metrics.  Views read `shown`, which stands still while
// it is paused; the store goes on collecting behind it.

import { currentToken, get, Refused } from './api';
import { Grid, seconds, type Series } from './grid';
import { note, params } from './router';
import { setting } from './theme';
import type { Finding, Meter, Missing, Operators, PageEvent, Process, RunRow, SeriesHead, Session, Slow, View } from './types';

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

export const WINDOWS = [30, 60, 300, 3600, 86400];
export const RATES = [1, 4, 10, 30, 60];
const METRICS = ['inference_*', 'prefill_*', 'decode_*', 'inferences_*', 'failed_inferences_total', 'time_*', 'tokens_total',
    'process_cpu_cores', 'process_resident_bytes', 'process_device_*', 'core_busy_ratio', 'host_busy_ratio', 'others_cpu_cores',
    'session_*', 'traced_inferences_total', 'device_*', 'zone_power_watts', 'zone_energy_joules_total', 'battery_power_watts',
    'hook_overhead_seconds', 'lost_events_total', 'collector_*'];

const NEWEST = ['others_cpu_cores', 'session_*', 'traced_inferences_total'];

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
    private silent = new Set<string>();
    private attempts = 0;
    private started = false;
    private listeners = new Set<() => void>();
    private retry?: number;
    private fewer = false;

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
        return Math.max(0, (Date.now() - this.heard) / 1000);
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
        if (this.silent.size || this.age > Math.max(2.5, 5 / this.rate)) return 'stale';
        return 'live';
    }

    start() {
        if (this.started) return;
        this.started = true;
        // The page may hold the first answer already: values at the first paint.
        const embedded = document.getElementById('view');
        if (embedded?.textContent && !params().from && !params().run) {
            try {
                this.take(JSON.parse(embedded.textContent));
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
        return { run: p.run, session: p.session, phase: p.phase, width: 240 };
    }

    private async load() {
        try {
            const p = params();
            const asked = p.from && p.to ? { from: p.from, to: p.to } : { from: `-${this.window}s` };
            const view = await get<View>('/api/view', { ...this.query(), ...asked });
            this.refusal = undefined;
            if (p.from && p.to) {
                const window = Math.max(1, (Number(p.to) - Number(p.from)) / 1e9);
                this.take(view, window);
                this.freeze(false);
            } else {
                this.take(view);
            }
        } catch (e) {
            if (e instanceof Refused && (e.status === 401 || e.status === 403)) this.refusal = e;
        }
        this.tell();
    }

    private take(view: View, window = this.window) {
        const stored = view.runs.length > 0 && !view.runs.some(r => r.status === 'running');
        const end = seconds(view.to_ns), length = stored ? Math.max(1, end - seconds(view.from_ns)) : window;
        const grid = new Grid(stored && window === this.window ? Math.min(length, Math.max(window, length)) : window, end);
        for (const s of view.series) grid.load(s, view.from_ns, view.step_s);
        if (this.live.grid.window === grid.window) grid.continueWith(this.live.grid); // what the socket told meanwhile
        const found = Array.isArray(view.findings) ? { findings: view.findings, slow: undefined } : view.findings;
        this.live = {
            grid, runs: view.runs, processes: view.processes, sessions: view.sessions,
            session: view.session === undefined ? undefined : String(view.session), phase: view.phase,
            operators: view.operators?.operators ? view.operators : EMPTY_OPERATORS, events: view.events,
            findings: found.findings ?? [], slow: found.slow, meters: view.meters, missing: view.missing,
        };
        this.role = view.you?.role ?? this.role;
        this.ready = true;
        this.offset = view.timestamp_ns / 1e6 - Date.now();
        this.heard = Date.now();
        for (const s of this.byNumber.values()) Object.assign(s, { begin: undefined });
        for (const [number, s] of this.byNumber) this.byNumber.set(number, grid.add(s));
    }

    /** Operators and sessions are not pushed: asked for again, as they stand. */
    private async refresh() {
        if (this.paused || !this.connected || document.hidden || !this.live.runs.some(r => r.status === 'running')) return;
        try {
            const view = await get<View>('/api/view', { ...this.query(), from: `-${Math.min(this.window, 60)}s` });
            if (view.session !== undefined) this.live.session = String(view.session);
            Object.assign(this.live, {
                operators: view.operators?.operators ? view.operators : EMPTY_OPERATORS, sessions: view.sessions,
                processes: view.processes, runs: view.runs, meters: view.meters, missing: view.missing, phase: view.phase,
            });
            const found = Array.isArray(view.findings) ? { findings: view.findings } : view.findings;
            this.live.findings = found.findings ?? [];
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
        const run = params().run;
        this.socket?.send(JSON.stringify({
            type: 'subscribe', id: 'page', metrics: this.fewer ? METRICS.filter(n => !NEWEST.includes(n)) : METRICS, events: ['event'],
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
            this.values(m);
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
            if (m.event === 'silent') this.silent.add(m.run.run_id);
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
            const loaded = !!params().from;
            this.frozen = undefined;
            note({ from: undefined, to: undefined });
            if (loaded && this.live.grid.window !== this.window) void this.load();
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

function pick(from: number[], wanted: number, otherwise: number): number {
    return from.includes(wanted) ? wanted : otherwise;
}

export const store = new Store();
