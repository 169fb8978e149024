// timeline.ts -- the operator timeline on a canvas: tracks, gaps, dependencies,
// counters, and the minimap above.

import * as f from '../core/format';
import { css, inkOn, operatorColour, providerClass } from '../core/theme';
import type { Operator } from '../core/types';
import { fit, font, hatch, hline, surface, text, vline } from './canvas';
import type { SpanTree } from './span_tree';

export const LABELS = 148; // width of the names at the left
const AXIS = 24;

export interface Row { name: string; tree: SpanTree; y: number; height: number; kind: 'phase' | 'inference' | 'load' | 'layer' | 'operator' | 'lane'; indent?: boolean; keep?: Uint8Array }
export interface Counter { name: string; unit: string; x: number[]; y: number[]; most: number; format: (v: number) => string; top: number }
export interface Selected { row: Row; span: number }
export interface Scene {
    rows: Row[];
    counters: Counter[];
    operators: Map<number, Operator>;
    phaseAt?: (time: number) => string | undefined; // its colour, where phases are known
    from: number; // ns since the run's start
    to: number;
    total: number;
    /** What a search keeps at full strength; the rest is dimmed. */
    found?: Set<number>;
    selected?: Selected;
    stretch?: [number, number];
    hover?: number; // ns
}

export const PHASE_COLOURS = ['pre', 'prefill', 'decode', 'post', 'idle', 'idle']; // in the order of the API
const COUNTER = 56;
export const sceneHeight = (s: Scene) => AXIS + s.rows.reduce((h, r) => Math.max(h, r.y + r.height), 0) + 8 + s.counters.length * (COUNTER + 8) + 8;
export const rowTop = (r: Row) => AXIS + r.y;
export const timeAt = (s: Scene, w: number, x: number) => s.from + (x - LABELS) / (w - LABELS) * (s.to - s.from);
export const positionOf = (s: Scene, w: number, t: number) => LABELS + (t - s.from) / (s.to - s.from) * (w - LABELS);

/** "layer 0 › q_proj" of an operator; '' when it is outside of both. */
export const placeOf = (o: Operator | undefined) =>
    [o?.layer === undefined ? '' : `layer ${o.layer}`, o?.component ?? ''].filter(Boolean).join(' › ');

function colourOf(s: Scene, r: Row, span: number): string {
    const id = r.tree.of[span];
    switch (r.kind) {
    case 'inference': return s.phaseAt?.(r.tree.start[span]) ?? 'decode';
    case 'phase': return PHASE_COLOURS[id] ?? 'idle';
    case 'load': return 'pre';
    case 'layer': return id % 2 ? 'bg-3' : 'idle';
    default: {
        const o = s.operators.get(id);
        return operatorColour(o?.op_type, o?.provider ?? r.tree.track.provider);
    }
    }
}

function nameOf(s: Scene, r: Row, span: number): [string, string] {
    const id = r.tree.of[span], time = f.nanos(r.tree.duration(span));
    switch (r.kind) {
    case 'inference': return [`${id}  ${time}`, ''];
    case 'phase': return [['pre', 'prefill', 'decode', 'post', 'other', 'idle'][id] ?? '', time];
    case 'load': return [`load ${time}`, ''];
    case 'layer': return [`layer ${id}`, time];
    default: {
        const o = s.operators.get(id);
        return [o?.op_type ?? `operator ${id}`, `${time}  ${placeOf(o)}`];
    }
    }
}

export function drawTimeline(canvas: HTMLCanvasElement, s: Scene) {
    const { g, w, h } = surface(canvas), scale = (w - LABELS) / (s.to - s.from), x = (t: number) => LABELS + (t - s.from) * scale;
    axis(g, s, w, h, x);
    g.save();
    g.beginPath();
    g.rect(LABELS, 0, w - LABELS, h);
    g.clip();
    idle(g, s, x, scale, w);
    for (const r of s.rows) spans(g, s, r, x, scale, w);
    gaps(g, s, x, scale, w);
    transitions(g, s, x);
    if (s.selected) dependencies(g, s, x);
    if (s.stretch) {
        g.fillStyle = css('shade');
        const [a, b] = [x(s.stretch[0]), x(s.stretch[1])];
        g.fillRect(a, AXIS, b - a, h - AXIS);
        vline(g, a, AXIS, h, 'ink-2');
        vline(g, b, AXIS, h, 'ink-2');
    }
    g.restore();
    for (const r of s.rows) {
        hline(g, 0, w, rowTop(r) + r.height + 1, r.kind === 'lane' ? 'grid' : 'rule');
        g.font = font(11);
        text(g, fit(g, r.name, LABELS - (r.indent ? 36 : 24)), r.indent ? 28 : 16, rowTop(r) + Math.min(r.height, 24) / 2 + 4, r.indent ? 'ink-3' : 'ink-2');
    }
    counters(g, s, x, w);
    vline(g, LABELS, AXIS, h, 'rule');
    if (s.hover !== undefined) vline(g, x(s.hover), AXIS, h, 'ink-3');
}

function axis(g: CanvasRenderingContext2D, s: Scene, w: number, h: number, x: (t: number) => number) {
    text(g, `${f.nanos(s.to - s.from)} in view`, 16, 16, 'ink-2');
    const list = f.ticks(s.from, s.to, Math.max(3, (w - LABELS) / 110)), step = (list[1] ?? 1) - (list[0] ?? 0);
    const unit = s.to < 1e4 ? 1 : s.to < 1e7 ? 1e3 : s.to < 6e10 ? 1e6 : 1e9, name = { 1: 'ns', 1e3: 'µs', 1e6: 'ms', 1e9: 's' }[unit]!;
    const decimals = Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));
    for (const t of list) {
        vline(g, x(t), AXIS, h);
        text(g, `${(t / unit).toFixed(Math.min(6, decimals))}${f.NARROW}${name}`, x(t), 16, 'ink-3', 'center');
    }
    g.clearRect(0, AXIS, LABELS, 0);
    hline(g, 0, w, AXIS - 1, 'rule');
}

function spans(g: CanvasRenderingContext2D, s: Scene, r: Row, x: (t: number) => number, scale: number, w: number) {
    const least = 0.9 / scale, top = rowTop(r), byColour = new Map<string, number[]>(), texts: [number, number, number, string][] = [];
    const dim = new Map<string, number[]>();
    r.tree.visit(s.from, s.to, least, (start, end, span, many) => {
        if (r.keep && !r.keep[span]) return;
        const a = Math.max(LABELS - 2, x(start)), b = Math.min(w + 2, x(end)), wide = Math.max(many ? 1 : 0.7, b - a - (b - a > 3 ? 1 : 0));
        const colour = colourOf(s, r, span);
        const into = s.found && (r.kind === 'operator' || r.kind === 'lane') && !s.found.has(r.tree.of[span]) ? dim : byColour;
        let list = into.get(colour);
        if (!list) into.set(colour, list = []);
        list.push(a, wide);
        if (!many && wide > 30 && into === byColour) texts.push([Math.max(a, LABELS), b, span, colour]);
    });
    for (const [lists, alpha] of [[dim, 0.15], [byColour, 1]] as const) {
        g.globalAlpha = alpha;
        for (const [colour, list] of lists) {
            g.fillStyle = css(colour);
            for (let i = 0; i < list.length; i += 2) g.fillRect(list[i], top, list[i + 1], r.height);
        }
    }
    g.globalAlpha = 1;
    for (const [a, b, span, colour] of texts) label(g, s, r, a, b, span, colour, top);
}

function label(g: CanvasRenderingContext2D, s: Scene, r: Row, a: number, b: number, span: number, colour: string, top: number) {
    const [name, more] = nameOf(s, r, span), ink = inkOn(css(colour)), two = r.height > 30 && more;
    if (r.height < 12) return;
    g.font = font(11, r.kind === 'operator' ? 600 : 400);
    text(g, fit(g, name, b - a - 8), a + 4, top + (two ? 14 : r.height / 2 + 4), ink);
    g.font = font(11);
    if (two) text(g, fit(g, more, b - a - 8), a + 4, top + 28, ink);
}

/** Behind the operators of a traced inference: hatched where none ran. */
function idle(g: CanvasRenderingContext2D, s: Scene, x: (t: number) => number, scale: number, w: number) {
    const inferences = s.rows.find(r => r.kind === 'inference')?.tree;
    for (const r of s.rows) {
        if (r.kind !== 'operator' || !inferences) continue;
        inferences.visit(s.from, s.to, 20 / scale, (a, b, _span, many) => {
            const i = r.tree.firstStartingAt(a);
            if (many || i >= r.tree.length || r.tree.start[i] >= b) return;
            const left = Math.max(LABELS, x(a)), right = Math.min(w, x(b)), last = r.tree.firstStartingAt(b) - 1, rest = b - r.tree.end[last];
            hatch(g, left, rowTop(r), right - left, r.height);
            named(g, Math.max(left, x(r.tree.end[last])), right, rowTop(r), r.height, `no operator ran, ${f.nanos(rest)}`);
        });
    }
}

/** A text on paper in the middle of a stretch, when there is room. */
function named(g: CanvasRenderingContext2D, left: number, right: number, top: number, height: number, name: string) {
    const wide = g.measureText(name).width;
    if (wide + 12 > right - left) return;
    g.fillStyle = css('bg');
    g.fillRect((left + right - wide) / 2 - 3, top + height / 2 - 8, wide + 6, 16);
    text(g, name, (left + right) / 2, top + height / 2 + 4, 'ink-2', 'center');
}

/** Where nothing ran inside of an inference, and for how long. */
function gaps(g: CanvasRenderingContext2D, s: Scene, x: (t: number) => number, scale: number, w: number) {
    const least = 46 / scale;
    const inferences = s.rows.find(r => r.kind === 'inference');
    for (const r of s.rows) {
        if (r.kind !== 'operator') continue;
        const t = r.tree, first = Math.max(1, t.firstEndingAfter(s.from));
        let seen = 0;
        for (let i = first; i < t.length && t.start[i - 1] < s.to && seen < 20000; i++, seen++) {
            const a = t.end[i - 1], b = t.start[i];
            if (b - a < least || (inferences && !inside(inferences.tree, a, b))) continue;
            named(g, Math.max(LABELS, x(a)), Math.min(w, x(b)), rowTop(r), r.height, `gap ${f.nanos(b - a)}`);
        }
    }
}

function inside(t: SpanTree, a: number, b: number): boolean {
    const i = t.firstStartingAt(a + 1) - 1;
    return i >= 0 && t.end[i] >= b;
}

/** Where work went from one kind of device to another. */
function transitions(g: CanvasRenderingContext2D, s: Scene, x: (t: number) => number) {
    const rows = s.rows.filter(r => r.kind === 'operator');
    const kinds = new Set(rows.map(r => providerClass(r.tree.track.provider)));
    if (rows.length < 2 || kinds.size < 2) return;
    const all: [number, string, Row][] = [];
    for (const r of rows) {
        const t = r.tree;
        for (let i = t.firstEndingAfter(s.from); i < t.length && t.start[i] < s.to; i++) {
            if (all.length > 4000) return; // too many to tell apart
            all.push([t.start[i], providerClass(t.track.provider), r]);
        }
    }
    all.sort((a, b) => a[0] - b[0]);
    g.fillStyle = css('trouble');
    for (let i = 1; i < all.length; i++)
        if (all[i][1] !== all[i - 1][1]) {
            const a = rowTop(all[i - 1][2]), b = rowTop(all[i][2]);
            g.fillRect(Math.round(x(all[i][0])), Math.min(a, b), 1, Math.abs(a - b) + all[i][2].height);
        }
}

/** Finds the run of an operator next to the selected one, in its inference. */
function instance(s: Scene, id: number, near: number, before: boolean): [Row, number] | undefined {
    let best: [Row, number] | undefined;
    for (const r of s.rows) {
        if (r.kind !== 'operator') continue;
        const t = r.tree;
        let i = t.firstStartingAt(near);
        for (let seen = 0; seen < 20000 && i >= 0 && i < t.length; seen++, i += before ? -1 : 1)
            if (t.of[i] === id && (before ? t.start[i] < near : t.start[i] >= near)) {
                if (!best || Math.abs(t.start[i] - near) < Math.abs(best[0].tree.start[best[1]] - near)) best = [r, i];
                break;
            }
    }
    return best;
}

function dependencies(g: CanvasRenderingContext2D, s: Scene, x: (t: number) => number) {
    const { row, span } = s.selected!, t = row.tree, id = t.of[span];
    const lane = (r: Row, i: number) => s.rows.find(q => q.kind === 'lane' && q.tree === r.tree && q.keep?.[i]) ?? r;
    const here = lane(row, span), y = rowTop(here) + here.height / 2;
    if (row.kind === 'operator' || row.kind === 'lane') {
        g.strokeStyle = css('ink');
        g.lineWidth = 1.2;
        const curve = (x0: number, y0: number, x1: number, y1: number) => {
            const m = Math.max(12, Math.abs(x1 - x0) / 2);
            g.beginPath();
            g.moveTo(x0, y0);
            g.bezierCurveTo(x0 + m, y0, x1 - m, y1, x1, y1);
            g.stroke();
        };
        for (const before of s.operators.get(id)?.after ?? []) {
            const hit = instance(s, before, t.start[span], true);
            if (hit) {
                const r = lane(...hit);
                curve(x(hit[0].tree.end[hit[1]]), rowTop(r) + r.height / 2, x(t.start[span]), y);
            }
        }
        for (const [next, o] of s.operators)
            if (o.after?.includes(id)) {
                const hit = instance(s, next, t.end[span] - 1, false);
                if (hit) {
                    const r = lane(...hit);
                    curve(x(t.end[span]), y, x(hit[0].tree.start[hit[1]]), rowTop(r) + r.height / 2);
                }
            }
    }
    g.strokeStyle = css('ink');
    g.lineWidth = 2;
    for (const r of new Set([row, here])) g.strokeRect(x(t.start[span]), rowTop(r), Math.max(2, x(t.end[span]) - x(t.start[span])), r.height);
}

function counters(g: CanvasRenderingContext2D, s: Scene, x: (t: number) => number, w: number) {
    for (const c of s.counters) {
        const top = c.top + AXIS, y = (v: number) => top + COUNTER - v / (c.most || 1) * (COUNTER - 6);
        hline(g, 0, w, top - 4, 'rule');
        g.font = font(11, 600);
        text(g, c.name, 16, top + 12, 'ink');
        g.font = font(11);
        text(g, c.unit, 16, top + 26, 'ink-3');
        for (const v of [0, c.most / 2, c.most]) {
            hline(g, LABELS, w, y(v), v ? 'grid' : 'rule-2');
            text(g, f.tick(c.format(v)), LABELS - 6, y(v) + (v === c.most ? 8 : v ? 4 : 0), 'ink-3', 'right');
        }
        curve(g, s, c, x, y, w, top);
    }
}

function curve(g: CanvasRenderingContext2D, s: Scene, c: Counter, x: (t: number) => number, y: (v: number) => number, w: number, top: number) {
    g.save();
    g.beginPath();
    g.rect(LABELS, top, w - LABELS, COUNTER + 2);
    g.clip();
    g.beginPath();
    let shown = 0, last: number | undefined;
    for (let i = 0; i < c.x.length; i++) {
        const t = c.x[i], until = c.x[i + 1] ?? s.total;
        if (until < s.from || t > s.to) continue;
        if (last === undefined) g.moveTo(x(t), y(c.y[i]));
        else g.lineTo(x(t), y(last));
        g.lineTo(x(t), y(c.y[i]));
        g.lineTo(x(until), y(c.y[i]));
        last = c.y[i];
        if (t >= s.from && t <= s.to) shown++;
    }
    g.strokeStyle = css('cpu');
    g.lineWidth = 1.3;
    g.stroke();
    if (shown > 0 && shown < 200) {
        g.fillStyle = css('cpu');
        for (let i = 0; i < c.x.length; i++) if (c.x[i] >= s.from && c.x[i] <= s.to) {
            g.beginPath();
            g.arc(x(c.x[i]), y(c.y[i]), 2.2, 0, 7);
            g.fill();
        }
    }
    if (!shown && last !== undefined) text(g, 'no reading in view: the last value holds', LABELS + 10, last > c.most / 2 ? top + COUNTER - 8 : top + 12, 'ink-3');
    g.restore();
}

// --- the minimap: all of the run, and where the view is -------------------------------

export function drawMinimap(canvas: HTMLCanvasElement, s: Scene) {
    const { g, w, h } = surface(canvas), x = (t: number) => LABELS + t / s.total * (w - LABELS - 8), scale = (w - LABELS - 8) / s.total;
    g.globalAlpha = 0.6;
    for (const r of s.rows) {
        if (r.kind !== 'inference' && r.kind !== 'load') continue;
        r.tree.visit(0, s.total, 0.9 / scale, (a, b, span) => {
            g.fillStyle = css(colourOf(s, r, span));
            g.fillRect(x(a), r.kind === 'load' ? 8 : 22, Math.max(1, (b - a) * scale), 12);
        });
    }
    g.globalAlpha = 1;
    const cpu = s.counters[0];
    if (cpu) {
        g.fillStyle = css('cpu-3');
        cpu.x.forEach((t, i) => {
            const tall = Math.min(1, cpu.y[i] / (cpu.most || 1)) * 16;
            g.fillRect(x(t), h - 2 - tall, Math.max(1, x(cpu.x[i + 1] ?? s.total) - x(t)), tall);
        });
    }
    const a = x(Math.max(0, s.from)), b = x(Math.min(s.total, s.to));
    g.fillStyle = css('veil');
    g.fillRect(LABELS, 2, a - LABELS, h - 4);
    g.fillRect(b, 2, w - 8 - b, h - 4);
    g.strokeStyle = css('ink');
    g.lineWidth = 1;
    g.strokeRect(Math.round(a) + 0.5, 2.5, Math.max(3, Math.round(b - a)), h - 5);
}

export const minimapTime = (s: Scene, w: number, x: number) => (x - LABELS) / (w - LABELS - 8) * s.total;
