// timeline.tsx -- what ran when: zoom, pan, search, select; everything in the URL.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { SpanTree } from '../charts/span_tree';
import { drawMinimap, drawTimeline, minimapTime, placeOf, rowTop, sceneHeight, timeAt, PHASE_COLOURS, type Counter, type Row, type Scene } from '../charts/timeline';
import { PROFILING } from '../core/api';
import * as f from '../core/format';
import { useGet, useKeys, useRoute } from '../core/hooks';
import { operatorsOf } from '../core/operators';
import { addKeys } from '../core/keys';
import { note, params } from '../core/router';
import { onTheme } from '../core/theme';
import type { History, Operator, Operators, PageEvent, RunRow, Spans } from '../core/types';
import { Failure, Skeleton } from '../parts/basic';
import { matches } from '../parts/hot_operators';
import { RunBar } from '../parts/run_bar';
import { TimelinePane } from '../parts/timeline_pane';
import { hideTip, showTip } from '../parts/tip';
import { points } from './run_memory';
import '../style/run.css';
import '../style/timeline.css';

const COUNTERS: [string, string, string, (v: number) => string][] = [
    ['process_cpu_cores', 'CPU', 'cores', v => f.number(v)], ['process_resident_bytes', 'Resident', 'memory', v => f.bytes(v)], ['zone_power_watts', 'Power', 'watts', v => f.watts(v)],
];
const LEAST = 200; // ns: nothing closer is recorded

export function TimelineView({ embedded }: { embedded?: boolean } = {}) {
    useRoute();
    const { run = 'last' } = params();
    const row = useGet<{ run: RunRow }>(`${PROFILING}/run/${run}`, { parts: 'run' });
    const spans = useGet<Spans>('/api/spans', { run });
    const operators = useGet<Operators>('/api/operators', { run, by: 'node', limit: 10000 });
    const history = useGet<History>('/metrics/history', { run, metric: COUNTERS.map(c => c[0]).join(','), width: 4096, form: 'pieces' });
    const slow = useGet<{ events: PageEvent[] }>('/api/events', { run, limit: 1000 });
    if (spans.error) return <main><RunBar run={row.data?.run} /><div class="pad"><Failure error={spans.error} again={spans.again} /></div></main>;
    if (!spans.data) return <main>{!embedded && <RunBar run={row.data?.run} />}<Skeleton /></main>;
    return <Timeline embedded={embedded} row={row.data?.run} spans={spans.data} operators={operators.data ? operatorsOf(operators.data).operators : []} history={history.data} slow={(slow.data?.events ?? []).filter(e => e.kind === 'slow')} />;
}

/** Rows from tracks: phases, loads, inferences, layers, then threads with a
 * lane for each component, so that a layer becomes a staircase. */
function makeRows(spans: Spans, operators: Map<number, Operator>): Row[] {
    const order = ['phase', 'section', 'load', 'inference', 'layer', 'operator'];
    const tracks = [...spans.tracks].filter(t => t.start_ns.length).sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
    const rows: Row[] = [];
    let y = 4;
    const add = (row: Omit<Row, 'y'>) => {
        rows.push({ ...row, y });
        y += row.height + 4;
    };
    const threads = new Set(tracks.map(t => t.thread)).size;
    for (const t of tracks) {
        const tree = new SpanTree(t), where = threads > 2 && t.thread !== undefined ? ` ${t.name ?? t.thread}` : '';
        if (t.kind === 'operator') {
            add({ name: `operators${where}${t.provider ? `, ${t.provider.replace(/ExecutionProvider$/, '')}` : ''}`, tree, height: 36, kind: 'operator' });
            for (const lane of lanes(tree, operators)) add({ ...lane, tree, height: 18, kind: 'lane', indent: true });
        } else {
            add({ name: `${t.kind === 'load' ? 'loading' : t.kind}${where}`, tree, height: t.kind === 'inference' ? 22 : 16, kind: t.kind === 'section' ? 'phase' : t.kind });
        }
    }
    return rows;
}

const LANES = /norm|q_proj|k_proj|v_proj|o_proj|rotary|attention|softmax|qk|av|gate|up_proj|down_proj|mlp|activation|multiply|residual|embedding|lm_head|other/;

function lanes(tree: SpanTree, operators: Map<number, Operator>): { name: string; keep: Uint8Array }[] {
    const by = new Map<string, Uint8Array>();
    for (let i = 0; i < tree.length; i++) {
        const component = operators.get(tree.of[i])?.component;
        if (!component) continue;
        let keep = by.get(component);
        if (!keep) by.set(component, keep = new Uint8Array(tree.length));
        keep[i] = 1;
    }
    const place = (name: string) => {
        const at = LANES.source.split('|').findIndex(part => name.includes(part));
        return at < 0 ? 99 : at;
    };
    return by.size > 1 ? [...by].map(([name, keep]) => ({ name: name.replace(/_/g, ' '), keep })).sort((a, b) => place(a.name.replace(/ /g, '_')) - place(b.name.replace(/ /g, '_'))).slice(0, 20) : [];
}

function Timeline({ row, spans, operators, history, slow, embedded }: { row?: RunRow; spans: Spans; operators: Operator[]; history?: History; slow: PageEvent[]; embedded?: boolean }) {
    const canvas = useRef<HTMLCanvasElement>(null), map = useRef<HTMLCanvasElement>(null);
    const [, render] = useState(0);
    const byId = useMemo(() => new Map(operators.filter(o => o.id !== undefined).map(o => [o.id!, o])), [operators]);
    const rows = useMemo(() => makeRows(spans, byId), [spans, byId]);
    const start = spans.from_ns, total = Math.max(1, spans.to_ns - start, ...rows.map(r => r.tree.end[r.tree.length - 1] ?? 0));
    const counters = useMemo(() => makeCounters(history, start, rows), [history, rows]);
    const inferences = rows.find(r => r.kind === 'inference');
    const scene = useRef<Scene>();
    if (!scene.current) scene.current = firstScene(total, start);
    const s = scene.current;
    Object.assign(s, { rows, counters, operators: byId, total, phaseAt: phaseLookup(rows) });
    const height = sceneHeight(s);
    const [find, search] = useState(params().find ?? '');
    s.found = find ? new Set(operators.filter(o => matches(o, find)).map(o => o.id!)) : undefined;

    const draw = useRef(() => {});
    const asked = useRef(0);
    draw.current = () => {
        asked.current ||= requestAnimationFrame(() => {
            asked.current = 0;
            if (canvas.current) drawTimeline(canvas.current, s);
            if (map.current) drawMinimap(map.current, s);
        });
    };
    const moved = useThrottled(() => {
        note({ a: String(Math.round(s.from)), b: String(Math.round(s.to)), from: undefined, to: undefined });
        render(n => n + 1);
    }, 150);
    const move = (from: number, to: number) => {
        const length = Math.min(total * 1.04, Math.max(LEAST, to - from)), middle = (from + to) / 2;
        let a = to - from === length ? from : middle - length / 2;
        a = Math.max(-total * 0.02, Math.min(total * 1.02 - length, a));
        s.from = a;
        s.to = a + length;
        draw.current();
        moved();
    };
    const zoom = (factor: number, at: number) => move(at - (at - s.from) * factor, at + (s.to - at) * factor);
    const select = (r: Row | undefined, span: number) => {
        s.selected = r ? { row: r.kind === 'lane' ? rows.find(q => q.kind === 'operator' && q.tree === r.tree)! : r, span } : undefined;
        note({ op: r && (r.kind === 'operator' || r.kind === 'lane') ? String(r.tree.of[span]) : undefined, inf: r?.kind === 'inference' ? String(r.tree.of[span]) : undefined, at: r ? String(Math.round(r.tree.start[span])) : undefined });
        draw.current();
        render(n => n + 1);
    };

    useEffect(() => {
        restore(rows, select, move);
    }, [rows]);
    useEffect(() => {
        note({ find: find || undefined });
        draw.current();
    }, [find]);
    useEffect(() => draw.current());
    useEffect(() => onTheme(() => draw.current()), []);
    useEffect(() => {
        const observer = new ResizeObserver(() => draw.current());
        observer.observe(canvas.current!);
        return () => observer.disconnect();
    }, []);
    // What is held or dragged goes on while more of the run arrives.
    const acts = useRef<Acts>();
    acts.current = { move, zoom, select, draw: () => draw.current(), render: () => render(n => n + 1) };
    useLayoutEffect(() => interact(canvas.current!, map.current!, s, () => acts.current!), []);
    useLayoutEffect(() => glide(s, () => acts.current!), []);
    useKeys({
        f: () => {
            const sel = s.stretch ?? (s.selected ? [s.selected.row.tree.start[s.selected.span], s.selected.row.tree.end[s.selected.span]] : undefined);
            if (sel && (s.from < sel[0] - (sel[1] - sel[0]) * 0.2 || s.to > sel[1] + (sel[1] - sel[0]) * 0.2)) move(sel[0] - (sel[1] - sel[0]) * 0.05, sel[1] + (sel[1] - sel[0]) * 0.05);
            else move(0, total);
        },
        esc: () => {
            s.stretch = undefined;
            select(undefined, 0);
        },
        '[': () => step(-1, slow, inferences, s, select, move), ']': () => step(1, slow, inferences, s, select, move),
    });

    return (
        <main class="timeline">
            {!embedded && <RunBar run={row}>
                <input type="search" class="field" placeholder="find: name, type, layer 2, provider  /" aria-label="Find operators" value={find} onInput={e => search(e.currentTarget.value)} />
                <span class="ink3 s">{s.found ? `${s.found.size} of ${operators.length} operators` : ''}</span>
            </RunBar>}
            <div class="map"><canvas ref={map} role="img" aria-label={`The run, ${f.nanos(total)}`} /><span class="about"><b>the run</b><br />{f.nanos(total)}, {f.count(spans.total)} spans<br />{spans.clock === 'net' ? 'without tracing' : 'as seen'}</span></div>
            <div class={embedded ? '' : 'with-pane'}>
                <div class="tracks"><canvas ref={canvas} tabIndex={0} role="application" aria-label="Timeline of operators: w and s zoom, a and d move, f fits, click selects" /></div>
                {!embedded && <aside class="pane" aria-label="Selection"><TimelinePane run={spans.run_id} scene={s} /></aside>}
            </div>
            <Height canvas={canvas} height={height} />
        </main>
    );
}

/** The canvas is as tall as its rows; a style attribute would break the CSP. */
function Height({ canvas, height }: { canvas: { current: HTMLCanvasElement | null }; height: number }) {
    useEffect(() => {
        if (canvas.current) canvas.current.style.height = `${height}px`;
    }, [height]);
    return null;
}

function firstScene(total: number, startNs: number): Scene {
    const p = params();
    const at = (own?: string, wall?: string) => (own !== undefined ? Number(own) : wall !== undefined ? Number(wall) - startNs : undefined);
    const a = at(p.a, p.from), b = at(p.b, p.to);
    const whole = a === undefined || b === undefined || !(b > a) || a > total;
    return { rows: [], counters: [], operators: new Map(), from: whole ? 0 : a, to: whole ? total : b, total };
}

/** The phase of a moment, where the server tells phases. */
function phaseLookup(rows: Row[]): Scene['phaseAt'] {
    const t = rows.find(r => r.kind === 'phase' && r.tree.track.kind === 'phase')?.tree;
    if (!t) return undefined;
    return time => {
        const i = t.firstStartingAt(time + 1) - 1;
        return i >= 0 && t.end[i] >= time ? PHASE_COLOURS[t.of[i]] : undefined;
    };
}

function makeCounters(h: History | undefined, startNs: number, rows: Row[]): Counter[] {
    let top = rows.reduce((y, r) => Math.max(y, r.y + r.height), 0) + 16;
    const out: Counter[] = [];
    for (const [metric, name, unit, format] of COUNTERS) {
        if (!h) continue;
        const [x, y] = points(h, metric, startNs);
        if (!x.length) continue;
        const most = Math.max(...y, 1e-9), ticks = f.ticks(0, most, 2), step = (ticks[1] ?? most) - (ticks[0] ?? 0);
        out.push({ name, unit, x: x.map(t => t * 1e9), y, most: Math.ceil(most / step) * step, format, top });
        top += 64;
    }
    return out;
}

/** What the URL names: an operator at a moment, or an inference. */
function restore(rows: Row[], select: (r: Row | undefined, span: number) => void, move: (a: number, b: number) => void) {
    const p = params();
    if (p.inf) {
        const r = rows.find(q => q.kind === 'inference'), i = r ? r.tree.of.indexOf(Number(p.inf)) : -1;
        if (r && i >= 0) {
            const d = r.tree.duration(i);
            if (!p.a) move(r.tree.start[i] - d * 0.05, r.tree.end[i] + d * 0.05);
            select(r, i);
        }
    } else if (p.op) {
        for (const r of rows.filter(q => q.kind === 'operator')) {
            let i = p.at ? r.tree.firstStartingAt(Number(p.at) - 1) : -1;
            if (i < 0 || i >= r.tree.length || r.tree.of[i] !== Number(p.op)) i = r.tree.of.indexOf(Number(p.op));
            if (i < 0) continue;
            const d = Math.max(r.tree.duration(i) * 10, 1e5);
            if (!p.a) move(r.tree.start[i] - d, r.tree.end[i] + d);
            select(r, i);
            return;
        }
    }
}

/** The next slow inference, after the last the first again; where none is marked,
 *  the next one above p95. */
function step(by: 1 | -1, slow: PageEvent[], r: Row | undefined, s: Scene, select: (r: Row | undefined, span: number) => void, move: (a: number, b: number) => void) {
    if (!r) return;
    const t = r.tree, marked = new Set(slow.map(e => e.inference));
    const sorted = [...Array(t.length).keys()].map(i => t.duration(i)).sort((a, b) => a - b), limit = sorted[Math.floor(sorted.length * 0.95)];
    const now = s.selected?.row === r ? s.selected.span : t.firstStartingAt((s.from + s.to) / 2);
    for (let n = 1; n <= t.length; n++) {
        const i = (((now + by * n) % t.length) + t.length) % t.length;
        if (marked.size ? marked.has(t.of[i]) : t.duration(i) >= limit) {
            const d = t.duration(i);
            move(t.start[i] - d * 0.1, t.end[i] + d * 0.1);
            select(r, i);
            return;
        }
    }
}

// --- pointer, wheel, pinch --------------------------------------------------------------

interface Acts { move: (a: number, b: number) => void; zoom: (factor: number, at: number) => void; select: (r: Row | undefined, span: number) => void; draw: () => void; render: () => void }
let pointerTime: number | undefined;

function interact(canvas: HTMLCanvasElement, map: HTMLCanvasElement, s: Scene, act: () => Acts): () => void {
    const off = new AbortController(), { signal } = off;
    const pointers = new Map<number, PointerEvent>();
    let down: { x: number; from: number; to: number; time: number; moved: boolean; stretch: boolean } | undefined;
    const time = (e: { offsetX: number }) => timeAt(s, canvas.clientWidth, e.offsetX);
    const scale = () => (s.to - s.from) / (canvas.clientWidth - 148);

    canvas.addEventListener('wheel', e => {
        e.preventDefault();
        if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
            const by = (e.deltaX || e.deltaY) * scale();
            act().move(s.from + by, s.to + by);
        } else {
            act().zoom(Math.exp(e.deltaY * (e.ctrlKey ? 0.01 : 0.0018)), time(e));
        }
    }, { passive: false, signal });
    canvas.addEventListener('pointerdown', e => {
        pointers.set(e.pointerId, e);
        canvas.setPointerCapture(e.pointerId);
        down = { x: e.offsetX, from: s.from, to: s.to, time: time(e), moved: false, stretch: e.shiftKey };
    }, { signal });
    canvas.addEventListener('pointermove', e => {
        pointerTime = time(e);
        s.hover = e.offsetX > 148 ? pointerTime : undefined;
        if (pointers.size === 2 && pointers.has(e.pointerId)) {
            const [p, q] = [...pointers.values()], before = Math.abs(p.offsetX - q.offsetX);
            pointers.set(e.pointerId, e);
            const [a, b] = [...pointers.values()], after = Math.abs(a.offsetX - b.offsetX);
            if (after > 8) act().zoom(before / after, timeAt(s, canvas.clientWidth, (a.offsetX + b.offsetX) / 2));
            return;
        }
        if (down && pointers.size === 1) {
            if (Math.abs(e.offsetX - down.x) > 3) down.moved = true;
            if (down.stretch) s.stretch = [Math.min(down.time, pointerTime), Math.max(down.time, pointerTime)];
            else if (down.moved) act().move(down.from - (e.offsetX - down.x) * scale(), down.to - (e.offsetX - down.x) * scale());
            act().draw();
            return;
        }
        tip(e, s, canvas, scale());
        act().draw();
    }, { signal });
    canvas.addEventListener('pointerup', e => {
        pointers.delete(e.pointerId);
        if (down && !down.moved && !down.stretch) {
            const hit = under(s, e, canvas, scale());
            s.stretch = undefined;
            act().select(hit?.[0], hit?.[1] ?? 0);
        }
        if (down?.stretch) act().render();
        down = undefined;
    }, { signal });
    canvas.addEventListener('pointercancel', e => pointers.delete(e.pointerId), { signal });
    canvas.addEventListener('pointerleave', () => {
        s.hover = undefined;
        hideTip();
        act().draw();
    }, { signal });
    canvas.addEventListener('dblclick', e => act().zoom(0.4, time(e)), { signal });
    const drag = (e: PointerEvent) => {
        if (e.type !== 'pointerdown' && !e.buttons) return;
        const half = (s.to - s.from) / 2, t = minimapTime(s, map.clientWidth, e.offsetX);
        act().move(t - half, t + half);
    };
    map.addEventListener('pointerdown', e => {
        map.setPointerCapture(e.pointerId);
        drag(e);
    }, { signal });
    map.addEventListener('pointermove', drag, { signal });
    return () => off.abort();
}

function under(s: Scene, e: { offsetX: number; offsetY: number }, canvas: HTMLCanvasElement, nsPerPixel: number): [Row, number] | undefined {
    if (e.offsetX < 148) return undefined;
    const r = s.rows.find(q => e.offsetY >= rowTop(q) && e.offsetY <= rowTop(q) + q.height);
    if (!r) return undefined;
    const i = r.tree.at(timeAt(s, canvas.clientWidth, e.offsetX), 2 * nsPerPixel);
    return i === undefined || (r.keep && !r.keep[i]) ? undefined : [r, i];
}

function tip(e: PointerEvent, s: Scene, canvas: HTMLCanvasElement, nsPerPixel: number) {
    const hit = under(s, e, canvas, nsPerPixel);
    canvas.style.cursor = hit ? 'pointer' : 'default';
    if (!hit) return hideTip();
    const [r, i] = hit, id = r.tree.of[i], time = f.nanos(r.tree.duration(i));
    if (r.kind === 'inference') return showTip(e, [`inference ${id}`, time]);
    if (r.kind === 'load') return showTip(e, ['loading a model', time]);
    if (r.kind !== 'operator' && r.kind !== 'lane') return showTip(e, [r.name, time]);
    const o = s.operators.get(id);
    showTip(e, [o?.op_type ?? `operator ${id}`, o?.name, [time, placeOf(o)].filter(Boolean).join(', '), r.tree.track.count?.[i] ? `${r.tree.track.count[i]} joined here` : undefined]);
}

/** w a s d while they are held: ×e in 260 ms, a window in 700 ms. */
function glide(s: Scene, act: () => Acts): () => void {
    const held = new Set<string>(), off = new AbortController();
    let last = 0, frame = 0;
    const turn = (now: number) => {
        const dt = Math.min(50, now - last), length = s.to - s.from;
        last = now;
        const at = pointerTime !== undefined && pointerTime > s.from && pointerTime < s.to ? pointerTime : (s.from + s.to) / 2;
        if (held.has('w')) act().zoom(Math.exp(-dt / 260), at);
        if (held.has('s')) act().zoom(Math.exp(dt / 260), at);
        if (held.has('a')) act().move(s.from - length * dt / 700, s.to - length * dt / 700);
        if (held.has('d')) act().move(s.from + length * dt / 700, s.to + length * dt / 700);
        frame = held.size ? requestAnimationFrame(turn) : 0;
    };
    const keys = Object.fromEntries(['w', 'a', 's', 'd'].map(k => [k, () => {
        held.add(k);
        if (!frame) {
            last = performance.now() - 16;
            frame = requestAnimationFrame(turn);
        }
    }]));
    const remove = addKeys(() => keys);
    document.addEventListener('keyup', e => held.delete(e.key), { signal: off.signal });
    addEventListener('blur', () => held.clear(), { signal: off.signal });
    return () => {
        remove();
        off.abort();
        cancelAnimationFrame(frame);
    };
}

/** Acts at most every `ms`, and once more when all is still. */
function useThrottled(act: () => void, ms: number): () => void {
    const timer = useRef(0), now = useRef(act);
    now.current = act;
    useEffect(() => () => clearTimeout(timer.current), []);
    return () => {
        timer.current ||= window.setTimeout(() => {
            timer.current = 0;
            now.current();
        }, ms);
    };
}
