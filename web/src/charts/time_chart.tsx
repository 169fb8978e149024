// time_chart.tsx -- lines over time, by uPlot: the one chart of its kind.
//
// `data` is asked at each tick while `live`; otherwise when the component is
// rendered.  x is seconds (since 1970, or since the run's start).  All charts of
// a view share the cursor; a drag along x calls `onSelect`.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'preact/hooks';
import { cursorTime, onCursor, setCursor } from '../core/cursor';
import { number, tick, ticks } from '../core/format';
import { store } from '../core/store';
import { css, onTheme } from '../core/theme';
import { font, hatch } from './canvas';

export interface Line { label: string; colour: string; method?: string; fill?: string; width?: number; steps?: boolean; gapped?: boolean }

export interface TimeChartProps {
    label: string;
    lines: Line[];
    data: () => (number | null)[][];
    range: () => [number, number];
    live?: boolean;
    format?: (v: number) => string;
    axis?: (v: number) => string;
    /** Where x has lines; round numbers unless told. */
    splits?: (from: number, to: number, count: number) => number[];
    /** The least upper end of y; `log` has none. */
    atLeast?: number;
    log?: (lo: number, hi: number) => [number, number];
    bands?: uPlot.Band[];
    under?: (u: uPlot) => void;
    over?: (u: uPlot) => void;
    onSelect?: (from: number, to: number) => void;
    onReady?: (u: uPlot) => void;
}

const DASHES: Record<string, number[]> = { apportioned: [6, 4], modelled: [2, 3] };
export const LEFT = 44; // room for the axis' numbers

/** As many labels as there is room for; on a phone few. */
const timeSplits = (p: TimeChartProps, u: uPlot, a: number, b: number) => (p.splits ?? ticks)(a, b, u.width < 480 ? 3 : 6);

/** Lines at round distances from now, so that they stand while time runs. */
export function backFrom(now: number) {
    return (a: number, b: number, count: number) => ticks(0, b - a, count).map(d => now - d).filter(t => t >= a - 1e-6).reverse();
}

function upper(max: number, atLeast: number): number {
    const m = Math.max(max, atLeast) || 1;
    const t = ticks(0, m, 3), step = (t[1] ?? m) - (t[0] ?? 0);
    return Math.ceil(m / step - 1e-9) * step;
}

export function TimeChart(props: TimeChartProps) {
    const box = useRef<HTMLDivElement>(null), chart = useRef<uPlot>(), now = useRef(props);
    now.current = props;
    const shape = JSON.stringify([props.lines, !!props.log, !!props.axis]);

    useEffect(() => {
        const el = box.current!;
        const make = () => {
            chart.current?.destroy();
            const u = new uPlot(options(now, el), now.current.data() as uPlot.AlignedData, el);
            chart.current = u;
            now.current.onReady?.(u);
            refresh(u, now.current);
        };
        make();
        let asked = 0;
        const later = () => {
            asked ||= requestAnimationFrame(() => {
                asked = 0;
                if (chart.current) refresh(chart.current, now.current);
            });
        };
        const off = [onTheme(make), onCursor(() => place(chart.current)), props.live ? store.on(later) : () => {}];
        const observer = new ResizeObserver(() => {
            if (el.clientWidth && el.clientHeight) chart.current?.setSize({ width: el.clientWidth, height: el.clientHeight });
        });
        observer.observe(el);
        return () => {
            for (const f of off) f();
            observer.disconnect();
            cancelAnimationFrame(asked);
            chart.current?.destroy();
            chart.current = undefined;
        };
    }, [shape, props.live]);
    useEffect(() => {
        if (chart.current) refresh(chart.current, now.current);
    });
    return <div class="chart" ref={box} role="img" aria-label={props.label} />;
}

function refresh(u: uPlot, p: TimeChartProps) {
    const [min, max] = p.range();
    u.batch(() => {
        u.setData(p.data() as uPlot.AlignedData, false);
        u.setScale('x', { min, max });
    });
    if (cursorTime() !== null) place(u);
}

/** Puts this chart's line where the pointer is in another one. */
function place(u: uPlot | undefined) {
    if (!u) return;
    const t = cursorTime();
    const left = t === null ? -10 : Math.round(u.valToPos(t, 'x'));
    if (Math.round(u.cursor.left ?? -10) !== left) u.setCursor({ left, top: 10 }, false);
}

function options(now: { current: TimeChartProps }, el: HTMLElement): uPlot.Options {
    const p = now.current;
    const axisFont = font(11);
    return {
        width: el.clientWidth || 300, height: el.clientHeight || 100,
        legend: { show: false },
        padding: [6, 0, p.axis ? 0 : 4, 0],
        cursor: {
            points: { show: false }, y: false,
            drag: { x: !!p.onSelect, y: false, setScale: false },
        },
        scales: {
            x: { time: false, range: (_u, a, b) => [a, b] },
            y: p.log ? { distr: 3, range: (_u, a, b) => now.current.log!(a, b) }
                : { range: (_u, _a, b) => [0, upper(b ?? 0, now.current.atLeast ?? 0)] },
        },
        axes: [
            p.axis ? {
                size: 18, gap: 2, font: axisFont, stroke: () => css('ink-3'), ticks: { show: false },
                grid: { stroke: () => css('grid'), width: 1 }, space: 80,
                values: (_u, list) => list.map(v => now.current.axis!(v)),
                splits: (u, _i, a, b) => timeSplits(now.current, u, a, b),
            } : { size: 0, ticks: { show: false }, grid: { stroke: () => css('grid'), width: 1 }, splits: (u, _i, a, b) => timeSplits(now.current, u, a, b), values: () => [] },
            {
                size: LEFT, gap: 6, font: axisFont, stroke: () => css('ink-3'), ticks: { show: false },
                grid: { stroke: () => css('grid'), width: 1 }, space: 22,
                values: (_u, list) => list.map(v => (v === null ? '' : tick((now.current.format ?? number)(v)))),
                ...(p.log ? { splits: (_u: uPlot, _i: number, a: number, b: number) => decades(a, b), filter: (_u: uPlot, s: number[]) => s }
                    : { splits: (u: uPlot, _i: number, a: number, b: number) => ticks(a, b, u.height < 90 ? 2 : 3) }),
            },
        ],
        bands: p.bands,
        series: [{}, ...p.lines.map(l => ({
            label: l.label, stroke: () => (l.colour === 'none' ? 'transparent' : css(l.colour)), width: l.colour === 'none' ? 0 : l.width ?? 1.4,
            dash: DASHES[l.method ?? ''], fill: l.fill ? () => css(l.fill!) : undefined,
            points: l.colour === 'none' ? { show: false } : { show: true, size: 3, width: 0, fill: () => css(l.colour), filter: alone },
            paths: l.steps ? uPlot.paths.stepped!({ align: 1 }) : undefined, spanGaps: false,
        }))],
        hooks: {
            drawClear: [u => now.current.under?.(u)],
            draw: [u => {
                now.current.over?.(u);
                if (now.current.live) silence(u);
            }],
            setCursor: [u => {
                if (u.cursor.event) setCursor(u.cursor.left! < 0 ? null : u.posToVal(u.cursor.left!, 'x'));
            }],
            setSelect: [u => {
                if (u.select.width < 4) return;
                const a = u.posToVal(u.select.left, 'x'), b = u.posToVal(u.select.left + u.select.width, 'x');
                u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
                now.current.onSelect?.(a, b);
            }],
        },
    };
}

/** The values with none beside them: no line shows these. */
function alone(u: uPlot, series: number): number[] {
    const v = u.data[series], out: number[] = [];
    for (let i = 0; i < v.length; i++) if (v[i] != null && v[i - 1] == null && v[i + 1] == null) out.push(i);
    return out;
}

/** 1, 2, 5 of each power of ten between a and b. */
export function decades(a: number, b: number): number[] {
    const out = [];
    const few = b / a > 2000;
    for (let e = Math.floor(Math.log10(a)) - 1; e <= Math.log10(b) + 1; e++)
        for (const m of few ? [1] : [1, 2, 5]) {
            const v = m * 10 ** e;
            if (v >= a * 0.999 && v <= b * 1.001) out.push(Number(v.toPrecision(3)));
        }
    return out;
}

/** From the last value to now, while nothing comes. */
function silence(u: uPlot) {
    if (store.state !== 'stale' && store.state !== 'disconnected') return;
    const x = u.valToPos(store.shown.grid.now, 'x', true), { left, top, width, height } = u.bbox;
    hatch(u.ctx, Math.max(left, x), top, left + width - Math.max(left, x), height);
}
