// distribution.ts -- latency turned by 90 degrees: how many inferences took how
// long, on the same log axis as the chart beside it.  The count is log, too, so
// that one slow inference shows.

import { bucketMiddle, countOf, quantiles, type Buckets } from '../core/buckets';
import { count, time } from '../core/format';
import { css } from '../core/theme';
import { decades } from './time_chart';
import { hline, surface, text, vline } from './canvas';

export interface Distribution { main: Buckets; mainColour: string; other?: Buckets; otherColour?: string; range: [number, number]; bottom: number }

const ROW = 3;
const MARKS: [number, string, number][] = [[0.5, 'p50', 1], [0.9, 'p90', 10], [0.95, 'p95', 20], [0.99, 'p99', 100], [0.999, 'p99.9', 1000]];

function rows(b: Buckets | undefined, y: (v: number) => number, top: number): Map<number, number> {
    const out = new Map<number, number>();
    for (const [bucket, n] of b ?? []) {
        const r = Math.floor((y(bucketMiddle(bucket) / 1e9) - top) / ROW);
        out.set(r, (out.get(r) ?? 0) + n);
    }
    return out;
}

export function drawDistribution(canvas: HTMLCanvasElement, d: Distribution) {
    const { g, w, h } = surface(canvas), top = 6, end = h - d.bottom, right = w - 92;
    const [lo, hi] = d.range.map(Math.log);
    const y = (v: number) => end - (Math.log(Math.max(v, 1e-9)) - lo) / (hi - lo) * (end - top);
    for (const v of decades(...d.range)) hline(g, 0, right, y(v));
    vline(g, 0, top, end, 'rule-2');
    const main = rows(d.main, y, top), other = rows(d.other, y, top);
    const most = Math.max(10, ...main.values(), ...other.values());
    const x = (n: number) => 1 + (0.08 + 0.92 * Math.log10(n) / Math.log10(most)) * (right - 8);
    for (let n = 1; n <= most; n *= 10) {
        vline(g, x(n), top, end);
        text(g, count(n), x(n), h - 4, 'ink-3', n * 10 > most ? 'right' : 'center');
    }
    for (const [bars, colour] of [[main, d.mainColour], [other, d.otherColour ?? '']] as const) {
        if (!colour) continue;
        g.fillStyle = css(colour);
        for (const [r, n] of bars) g.fillRect(1, top + r * ROW, x(n) - 1, ROW - 1);
    }
    marks(g, d.main, y, right, w);
}

function marks(g: CanvasRenderingContext2D, b: Buckets, y: (v: number) => number, right: number, w: number) {
    const total = countOf(b), known = MARKS.filter(m => total >= m[2]);
    let above = Infinity;
    quantiles(b, known.map(m => m[0])).forEach((v, i) => {
        if (v === undefined) return;
        const at = Math.round(y(v));
        g.globalAlpha = 0.35;
        g.fillStyle = css('ink');
        g.fillRect(1, at, right - 5, 1);
        g.globalAlpha = 1;
        g.fillStyle = css('ink-2');
        g.fillRect(right - 4, at, 8, 1);
        above = Math.min(at + 4, above - 13);
        text(g, known[i][1], right + 8, above, 'ink-2');
        text(g, time(v), w, above, 'ink', 'right');
    });
}
