// live.tsx -- how the model is doing now: the answer first, the evidence below.

import { useCallback } from 'preact/hooks';
import type uPlot from 'uplot';
import { font, text } from '../charts/canvas';
import { drawDistribution } from '../charts/distribution';
import { backFrom, decades, TimeChart } from '../charts/time_chart';
import { cursorTime, setCursor, useCursor } from '../core/cursor';
import * as f from '../core/format';
import { useRoute, useStore, useTheme } from '../core/hooks';
import { STEPS } from '../core/grid';
import * as live from '../core/live';
import { href } from '../core/router';
import { store, type Shown } from '../core/store';
import { css } from '../core/theme';
import { Canvas, Dash, Figure, Panel, reason, Skeleton, Swatch } from '../parts/basic';
import { shows } from '../parts/filter_menu';
import { HotOperators } from '../parts/hot_operators';
import { Resources } from '../parts/resources';
import { SessionTable } from '../parts/session_table';
import { First } from './first';
import '../style/live.css';

export function LiveView() {
    useStore(4);
    useRoute();
    useTheme();
    const { shown, state } = store;
    if (state === 'waiting') return <First />;
    if (!store.ready) return <main class="live"><Skeleton /></main>;
    return (
        <main class="live" data-state={state}>
            <Answer shown={shown} />
            {shows('latency') && <Latency shown={shown} />}
            {shows('rates') && <Rates shown={shown} />}
            <Resources shown={shown} shows={shows} />
            {(shows('operators') || shows('sessions')) && <div class="cells r4">
                {shows('operators') && <HotOperators shown={shown} />}
                {shows('sessions') && <SessionTable shown={shown} />}
            </div>}
            <Footer shown={shown} />
        </main>
    );
}

/** The performance panel alone, for /embed/performance. */
export function Performance() {
    useStore(4);
    useTheme();
    return store.ready ? <main class="live embedded"><Latency shown={store.shown} /><Rates shown={store.shown} /></main> : <Skeleton />;
}

// --- in short ---------------------------------------------------------------------

function Answer({ shown }: { shown: Shown }) {
    const { grid } = shown, session = live.chosen(shown), { phase } = shown;
    const p = live.percentiles(grid, live.latencySeries(shown, session, phase));
    const word = phase === 'decode' || phase === 'prefill' ? `${phase} ` : '';
    const tokens = grid.find('tokens_total'), rate = live.sessionSeries(shown, 'inferences_total', session);
    const first = live.percentiles(grid, phase === 'decode' ? live.latencySeries(shown, session, 'prefill') : []);
    const cpu = grid.find('process_cpu_cores'), rss = grid.find('process_resident_bytes');
    const meter = shown.meters[0];
    const hook = meter?.hook_ns ?? shown.processes.find(x => x.hook_ns !== undefined)?.hook_ns ?? (grid.latest(grid.find('hook_overhead_seconds')[0]) ?? NaN) * 1e9;
    const tokenRate = live.meanOf(grid, tokens) || meanShown(live.tokenColumn(shown));
    const [p50, p99] = [p.values[0], p.values[3]];
    return (
        <section class="answer" aria-label="In short">
            <div class="who">
                <h1><span class="ell">{modelName(session)}</span>{session && <span class="tag">{providerTag(session)}</span>}</h1>
                <p class="ell">{sentence(shown, p.count)}{store.state === 'ended' && <>. <a href={href({ view: 'run', run: shown.runs[0]?.run_id })}>What it says of each operator, token and joule</a></>}</p>
            </div>
            <div class="figs">
                <Figure label={`${word}p50`} text={f.time(p50)} change={f.changeOf(p50, p.before[0])} why="no inference ended in this window" />
                <Figure label={`${word}p99`} text={f.time(p99)} change={f.changeOf(p99, p.before[3])} why={`a p99 needs 100 inferences; this window has ${p.count}`} />
                {tokenRate
                    ? <Figure label="tokens" text={f.number(tokenRate) + f.NARROW + '/s'} change={f.changeOf(tokenRate, live.meanOf(grid, tokens, 1))} />
                    : <Figure label="inferences" text={rate ? f.number(grid.mean(rate)) + f.NARROW + '/s' : f.DASH} change={f.changeOf(grid.mean(rate), grid.mean(rate, 1))} why="nothing was counted in this window" />}
                {first.count > 0 && <Figure label="first token p50" text={f.time(first.values[0])} change={`of ${f.count(first.count)}`} />}
                <Figure label="CPU" text={cpu.length ? f.cores(live.meanOf(grid, cpu)) + f.NARROW + 'cores' : f.DASH} change={f.changeOf(live.meanOf(grid, cpu), live.meanOf(grid, cpu, 1))} why={reason(shown.missing, 'process_cpu_cores')} />
                <Figure label="memory" text={f.bytes(live.latestOf(grid, rss))} change={growth(live.latestOf(grid, rss), live.meanOf(grid, rss, 1))} why={reason(shown.missing, 'process_resident_bytes')} />
                <EnergyFigure shown={shown} tokenRate={tokenRate} rate={grid.mean(rate)} />
                <Figure kind="meter" label={`meter ${f.nanos(Number.isFinite(hook) ? hook : undefined)}`} text={p50 && Number.isFinite(hook) ? f.significant(hook / 1e9 / p50 * 100, 2) + f.NARROW + '%' : f.DASH} why="the hook's cost is known after its first inferences" />
            </div>
        </section>
    );
}

function EnergyFigure({ shown, tokenRate, rate }: { shown: Shown; tokenRate?: number; rate?: number }) {
    const zones = live.powerZones(shown.grid).filter(s => !live.isWithin(s)), watts = live.meanOf(shown.grid, zones);
    const per = tokenRate || rate;
    const what = tokenRate ? 'a token' : 'an inference';
    if (watts === undefined || !per)
        return <Figure kind="energy" label="no energy source" href={href({ view: 'system' })} text={f.DASH} why={reason(shown.missing, 'zone_power_watts', 'zone_energy_joules_total') ?? 'no source of energy answers on this machine; System says which were tried'} />;
    return <Figure kind="energy" label={`${what}, gross`} text={f.joules(watts / per)} change={zones[0].method} />;
}

/** The mean of what is known in the shown window: its newer half. */
function meanShown(column: (number | null)[] | undefined): number | undefined {
    const known = (column ?? []).slice(-STEPS).filter((v): v is number => v !== null);
    return known.length ? known.reduce((a, b) => a + b, 0) / known.length : undefined;
}

const growth = (now?: number, before?: number) =>
    (now === undefined || before === undefined || Math.abs(now - before) < 1000 ? '' : f.signed(now - before, f.bytes));

export const modelName = (s?: { model?: string }) => (s?.model ?? '').replace(/\.(onnx|ort)$/, '') || 'no session yet';
const providerTag = (s: { provider?: string; providers: string[] }) =>
    s.provider ?? (s.providers[0] ?? 'CPU').replace(/ExecutionProvider$/, '');

function sentence(shown: Shown, count: number): string {
    const found = shown.findings[0];
    if (found) return found.text;
    const window = f.age(shown.grid.window);
    const slow = shown.slow;
    if (slow?.count && slow.causes[0]) return `${window}: ${slow.causes[0].slow} of the ${slow.count} slowest came while ${slow.causes[0].cause.replace(/_/g, ' ')}`;
    if (!count) return `nothing ended in the last ${window}`;
    const ended = !shown.runs.some(r => r.status === 'running');
    return `${f.count(count)} ${shown.phase === 'decode' ? 'tokens' : 'inferences'} in ${ended ? '' : 'the last '}${window}${ended ? ', the whole run' : ''}`;
}

// --- latency and its distribution: one axis -----------------------------------------

const LIMITS = { lo: 1e-5, hi: 1e-3 };

/** The log axis, rounded outwards to 1, 2 or 5. */
function logRange(lo: number, hi: number): [number, number] {
    if (!(lo > 0) || !(hi > 0)) return [LIMITS.lo, LIMITS.hi];
    const down = decades(lo / 5.01, lo).at(-1) ?? lo, up = decades(hi, hi * 5.01)[0] ?? hi;
    return [Math.min(down, lo * 0.9), Math.max(up, hi * 1.1)];
}

function Latency({ shown }: { shown: Shown }) {
    const t = useCursor();
    const { grid } = shown, session = live.chosen(shown), { phase } = shown;
    const list = live.latencySeries(shown, session, phase);
    const prefill = phase === 'decode' ? live.latencySeries(shown, session, 'prefill') : [];
    const p = live.percentiles(grid, list), before = live.percentiles(grid, prefill);
    const extent = [...p.buckets.keys(), ...before.buckets.keys()];
    const range = extentOf(extent);
    const slow = slowEvents(shown, session?.id);
    const traced = live.sessionSeries(shown, 'traced_inferences_total', session);
    const left = traced ? Math.round((grid.mean(traced) ?? 0) * grid.window) : 0;
    const index = t === null ? -1 : grid.indexOf(t);
    const [p50, p99] = t === null ? [[], []] : grid.band(list);
    const now = t !== null && index >= 0 && index < grid.length
        ? (p50[index] != null ? `${f.age(Math.max(0, grid.now - t))} ago: p50 ${f.time(p50[index])}, p99 ${f.time(p99[index])}` : 'no inference then')
        : `${f.count(p.count)} ${phase === 'decode' ? 'tokens' : 'inferences'}${left > 0 ? `, ${f.count(left)} more traced and left out` : ''}`;
    const word = phase === 'decode' || phase === 'prefill' ? `${phase} ` : '';
    const draw = useCallback((canvas: HTMLCanvasElement) => {
        const q = live.percentiles(store.shown.grid, live.latencySeries(store.shown, live.chosen(store.shown), store.shown.phase));
        const pre = store.shown.phase === 'decode' ? live.percentiles(store.shown.grid, live.latencySeries(store.shown, live.chosen(store.shown), 'prefill')) : undefined;
        drawDistribution(canvas, {
            main: q.buckets, mainColour: 'decode', other: pre?.buckets, otherColour: 'prefill-line',
            range: extentOf([...q.buckets.keys(), ...(pre?.buckets.keys() ?? [])]), bottom: 18,
        });
    }, []);
    return (
        <div class="cells r1">
            <Panel fill title="Latency" kind="lat" note={<>
                <span class="opt"><Swatch colour="decode-line" kind="line" />{word}p50</span> <span class="opt"><Swatch colour="decode-band" />to p99</span>
                {slow.length > 0 && <span class="opt"> ○ slow{slow.length >= 200 ? ', 200 of them' : ''}</span>}
                {before.count > 0 && <span class="opt"> <Swatch colour="prefill" kind="edge" />prefill</span>}
                {hasOthers(shown) && <span class="opt"> <Swatch colour="bg-3" kind="edge" />other programs &gt; 0.3 core</span>}
            </>} now={<span class="ink3 xs opt">{now}</span>}>
                <TimeChart live label={`Latency over the last ${f.age(grid.window)}: p50 ${f.time(p.values[0])}, p99 ${f.time(p.values[3])}`}
                    lines={[{ label: 'p50', colour: 'decode-line', width: 1.5 }, { label: 'p99', colour: 'none' }]}
                    bands={[{ series: [2, 1], fill: () => css('decode-band') } as unknown as uPlot.Band]}
                    data={() => {
                        const s = store.shown;
                        return [s.grid.times(), ...s.grid.band(live.latencySeries(s, live.chosen(s), s.phase))];
                    }}
                    range={() => [store.shown.grid.from, end(store.shown.grid.now)]}
                    log={() => range} format={v => f.time(v)} axis={ago} splits={splits}
                    under={u => others(u)} over={u => marks(u, slow)} onSelect={zoom} />
            </Panel>
            <Panel fill title="Distribution" kind="dist" now={<span class="ink3 xs">count, log</span>}>
                <Canvas draw={draw} label={`Distribution: ${live.SHARE_NAMES.map((n, i) => `${n} ${f.time(p.values[i])}`).join(', ')}`} />
            </Panel>
        </div>
    );
}

function extentOf(buckets: number[]): [number, number] {
    if (!buckets.length) return [LIMITS.lo, LIMITS.hi];
    let lo = Infinity, hi = 0;
    for (const b of buckets) {
        lo = Math.min(lo, b);
        hi = Math.max(hi, b);
    }
    const s = (b: number) => (b < 128 ? Math.max(1, b) : (b % 64 + 64) * 2 ** (Math.floor(b / 64) - 1)) / 1e9;
    return logRange(s(lo), s(hi + 1));
}

const end = (now: number) => {
    const s = store.state;
    return s === 'live' ? now : s === 'stale' || s === 'disconnected' ? Math.max(now, Date.now() / 1000) : now;
};

/** "−20 s" on a live axis, seconds of the run on a stored one. */
function ago(v: number): string {
    const back = store.shown.grid.now - v;
    if (store.shown.grid.window > 600) return f.clock(v * 1000);
    return back < store.shown.grid.window / 100 ? '' : `−${f.tick(f.age(back))}`;
}

const splits = (a: number, b: number, count: number) => backFrom(store.shown.grid.now)(a, b, count);
const hasOthers = (shown: Shown) => shown.grid.find('others_cpu_cores').length > 0;

/** Grey where other programs had more than 0.3 core: a cause, not decoration. */
function others(u: uPlot) {
    const { grid } = store.shown, s = grid.find('others_cpu_cores')[0];
    if (!s) return;
    u.ctx.fillStyle = css('bg-3');
    grid.column(s).forEach((v, i) => {
        if (v === null || v <= 0.3) return;
        const a = Math.max(u.bbox.left, u.valToPos(grid.timeOf(i), 'x', true)), b = u.valToPos(grid.timeOf(i + 1), 'x', true);
        if (b > a) u.ctx.fillRect(a, u.bbox.top, b - a, u.bbox.height);
    });
}

function slowEvents(shown: Shown, session?: number) {
    return shown.events.filter(e => (e.kind === 'slow' || e.kind === 'generation') && (session === undefined || e.session === undefined || e.session === session));
}

/** Slow inferences as rings, first tokens as squares, marks and throttling as lines. */
function marks(u: uPlot, events: Shown['events']) {
    const g = u.ctx, k = devicePixelRatio || 1;
    g.save();
    g.font = font(11 * k);
    text(g, 'now', u.bbox.left + u.bbox.width - 4 * k, u.bbox.top + u.bbox.height + 9 * k, 'ink-3', 'right');
    g.beginPath();
    g.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    g.clip();
    for (const e of store.shown.events) {
        if (!['mark', 'throttling', 'alert', 'lost', 'pause'].includes(e.kind)) continue;
        const x = u.valToPos(e.timestamp_ns / 1e9, 'x', true), trouble = e.kind !== 'mark' && e.kind !== 'pause';
        g.fillStyle = css(trouble ? 'trouble' : 'ink-3');
        g.fillRect(Math.round(x), u.bbox.top, Math.max(1, k), u.bbox.height);
    }
    for (const e of events) {
        const x = u.valToPos(e.timestamp_ns / 1e9, 'x', true);
        const ms = e.kind === 'generation' ? e.first_ms : e.duration_ms;
        if (ms === undefined) continue;
        const y = u.valToPos(ms / 1e3, 'y', true);
        g.beginPath();
        if (e.kind === 'generation') g.rect(Math.round(x) - 2.5 * k, Math.round(y) - 2.5 * k, 5 * k, 5 * k);
        else g.arc(x, y, 2.6 * k, 0, 7);
        g.lineWidth = 1.2 * k;
        g.fillStyle = css(e.kind === 'generation' ? 'prefill' : 'bg');
        g.strokeStyle = css(e.kind === 'generation' ? 'prefill-line' : 'ink-2');
        g.fill();
        g.stroke();
    }
    g.restore();
}

/** A drag over a chart shows that stretch, standing still. */
function zoom(from: number, to: number) {
    const run = store.shown.runs[0]?.run_id;
    if (run) location.assign(href({ view: 'timeline', run, from: String(Math.round(from * 1e3) * 1e6), to: String(Math.round(to * 1e3) * 1e6) }));
}

// --- rates ---------------------------------------------------------------------------

const window60 = () => [store.shown.grid.from, end(store.shown.grid.now)] as [number, number];

function at(column: (number | null)[]): number | undefined {
    const t = cursorTime(), { grid } = store.shown;
    if (t !== null) return column[grid.indexOf(t)] ?? undefined;
    for (let i = column.length - 1; i >= 0; i--) if (column[i] !== null) return column[i]!;
    return undefined;
}

function Rates({ shown }: { shown: Shown }) {
    useCursor();
    const { grid } = shown, session = live.chosen(shown);
    const inferences = live.summed(grid, grid.find('inferences_total')), tokens = live.tokenColumn(shown);
    const flight = grid.find('inferences_in_flight');
    const p = live.percentiles(grid, live.latencySeries(shown, session, shown.phase));
    const batch = grid.find('inference_batch_samples')[0], failed = live.meanOf(grid, grid.find('failed_inferences_total'));
    return (
        <div class="cells r2">
            <Panel fill title="Inferences" note="all sessions" now={<>{failed ? <span class="trouble">{f.number(failed)}/s failed </span> : null}<b>{f.number(at(inferences))}</b><span class="ink2">/s</span></>}>
                <TimeChart live label="Inferences a second" lines={[{ label: 'inferences', colour: 'ink-2' }]} range={window60} splits={splits} onSelect={zoom}
                    data={() => [store.shown.grid.times(), live.summed(store.shown.grid, store.shown.grid.find('inferences_total'))]} />
            </Panel>
            <Panel fill title="Tokens" note={tokens && 'generated'} now={tokens ? <><b>{f.number(at(tokens))}</b><span class="ink2">/s</span></> : <span class="ink3">none</span>}>
                {tokens
                    ? <TimeChart live label="Tokens a second" lines={[{ label: 'tokens', colour: 'decode-line', fill: 'decode-band' }]} range={window60} splits={splits} onSelect={zoom}
                        data={() => [store.shown.grid.times(), live.tokenColumn(store.shown) ?? []]} />
                    : <div class="empty none"><p>No text is generated: no inference has a key-value cache.</p></div>}
            </Panel>
            <Panel fill title="In flight" kind="queue" note={<>batch {batch?.mean !== undefined ? f.number(batch.mean) : <Dash why="no input shape told a batch" />} · queue <Dash why={'The program does not tell its queue.\nortmeter.h: ortmeter_batch'} /></>}
                now={flight.length ? <><b>{f.number(at(live.summed(grid, flight)))}</b> <span class="ink2">at most</span></> : <span class="ink3">not told</span>}>
                {flight.length
                    ? <TimeChart live label="Inferences in flight" lines={[{ label: 'in flight', colour: 'ink-2', fill: 'bg-3', steps: true, width: 1 }]} range={window60} splits={splits} atLeast={2}
                        data={() => [store.shown.grid.times(), live.summed(store.shown.grid, store.shown.grid.find('inferences_in_flight'))]} />
                    : <div class="empty none"><p>{reason(shown.missing, 'inferences_in_flight') ?? 'This run does not count what runs at the same time.'}</p></div>}
            </Panel>
            <Panel title={shown.phase === 'decode' ? 'Decode' : 'Percentiles'} kind="pcts" note={`last ${f.age(grid.window)}, change from the ${f.age(grid.window)} before`}>
                <div class="pct">{live.SHARE_NAMES.map((name, i) => {
                    const [number, unit] = f.parts(f.time(p.values[i]));
                    return (
                        <div key={name}>
                            <span class="k">{name}</span>
                            <span class="v">{p.values[i] === undefined ? <Dash why={`too few inferences: ${p.count}`} /> : <>{number}<u>{unit}</u></>}</span>
                            <span class="c">{f.changeOf(p.values[i], p.before[i])}</span>
                        </div>
                    );
                })}</div>
            </Panel>
        </div>
    );
}

// --- the line below --------------------------------------------------------------------

function Footer({ shown }: { shown: Shown }) {
    const t = useCursor();
    const run = shown.runs[0], meter = shown.meters[0], ort = shown.processes[0]?.ort;
    const lost = meter?.lost ?? run?.lost;
    const { grid } = shown;
    const collector = meter?.collector_cores ?? live.meanOf(grid, grid.find('collector_cpu_seconds_total'));
    const memory = meter?.collector_bytes ?? live.latestOf(grid, grid.find('collector_resident_bytes'));
    return (
        <footer onMouseEnter={() => setCursor(null)}>
            {run && <span>run <a href={href({ view: 'run', run: run.run_id })}>{run.run_id.slice(0, 8)}</a> · {run.command ?? 'command not told'}{ort?.version ? ` · ONNX Runtime ${ort.version}` : ''}{run.host_name ? ` · ${run.host_name}` : ''}{meter?.ops !== undefined ? ` · operators: ${ops(meter.ops)}` : ''}</span>}
            <span class="grow" />
            {t !== null && <span>cursor {f.clock(t * 1000)}</span>}
            <span class={lost ? 'trouble' : ''}>{lost === undefined ? '' : `${f.count(lost)} lost`}</span>
            <span>{collector === undefined ? '' : `collector ${f.share(collector)} of a core`}{memory === undefined ? '' : `, ${f.bytes(memory)}`}</span>
        </footer>
    );
}

const ops = (v: string | number) => (typeof v === 'number' ? `1 inference in ${v}` : v === 'all' ? 'every inference' : v === 'auto' ? 'as many as cost under 1 %' : String(v));

