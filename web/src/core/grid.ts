// grid.ts -- the last two windows of every live series, in equal steps: what
// charts draw and figures are computed from.  The newer window is shown, the
// one before is what changes are counted against.

import { addBuckets, addPairs, quantiles, type Buckets } from './buckets';
import type { HistorySeries, Pieces, SeriesHead } from './types';

export const STEPS = 240; // of a window

/** Seconds since 1970 as doubles are exact to 0.2 µs: enough for drawing. */
export const seconds = (ns: number) => ns / 1e9;

export interface Series extends SeriesHead {
    key: string;
    /** A value for each step: a gauge's, or a counter's rate a second. */
    values: Float64Array;
    /** Histograms only: what was counted in each step. */
    buckets?: (Buckets | undefined)[];
    sum?: Float64Array;
    /** The last value that was told, and a counter's at the begin of the step. */
    last?: number;
    lastTime?: number;
    begin?: number;
    gone?: boolean;
    /** Histograms whose buckets are not told: their mean so far. */
    mean?: number;
}

const isHistogram = (s: SeriesHead) => s.kind === 'histogram' || /_duration_seconds$|^time_/.test(s.metric);
const isCounter = (s: SeriesHead) => s.kind === 'counter' || s.metric.endsWith('_total');

/** Series of the history and of the socket meet under one key: a session says
 * which model it is, and counters are of all phases. */
export function keyOf(s: SeriesHead): string {
    const labels = Object.entries(s.labels ?? {}).filter(([name]) => !(name === 'model' && s.labels.session) && !(name === 'phase' && isCounter(s)));
    return `${s.metric}|${s.run_id ?? ''}|${labels.sort().map(l => l.join('=')).join(',')}`;
}

const HOLD = 10; // seconds
const kept = new WeakMap<Buckets, (number | undefined)[]>();

export class Grid {
    readonly step: number;
    readonly length = 2 * STEPS;
    /** Number of the step at index 0: time / step. */
    first: number;
    /** The latest moment that values are known for, in seconds since 1970. */
    now: number;
    /** One x for all charts: the middles of the shown steps. */
    readonly series = new Map<string, Series>();

    /** Steps are counted from `origin`: where the history's begin, so that a
     * window of the one is a window of the other. */
    constructor(readonly window: number, now: number, readonly origin = 0) {
        this.step = window / STEPS;
        this.now = now;
        this.first = 0;
        this.first = this.lastIndex - this.length + 1;
    }

    /** The step that `now` is in, or ends. */
    get lastIndex() {
        return this.indexOf(this.now - this.step * 1e-3);
    }

    /** The begin of the shown window. */
    get from() {
        return this.now - this.window;
    }

    indexOf(time: number) {
        return Math.floor((time - this.origin) / this.step + 1e-4) - this.first;
    }

    timeOf(index: number) {
        return this.origin + (this.first + index) * this.step;
    }

    add(head: SeriesHead): Series {
        const key = keyOf(head);
        let s = this.series.get(key);
        if (!s) {
            s = { ...head, labels: head.labels ?? {}, key, values: new Float64Array(this.length).fill(NaN) };
            if (isHistogram(head)) {
                s.buckets = Array(this.length);
                s.sum = new Float64Array(this.length);
            }
            this.series.set(key, s);
        }
        s.gone = false;
        return s;
    }

    /** Takes a series of /api/view or /metrics/history, with its own steps. */
    load(h: HistorySeries, fromNs: number, stepS: number) {
        const s = this.add(h);
        if (h.points) {
            for (const [t, v] of h.points) this.put(s, seconds(t), v);
            return;
        }
        const from = seconds(fromNs);
        for (const [agg, pieces] of Object.entries(h.pieces ?? {})) {
            if (agg === 'buckets' && s.buckets) this.loadBuckets(s, pieces as Pieces<number[]>, from, stepS);
            else if (!s.buckets && (agg === 'avg' || agg === 'max' || agg === 'sum' || Object.keys(h.pieces!).length === 1)) this.loadValues(s, pieces as Pieces<number>, from, stepS);
        }
        this.hold(s);
    }

    /** The history's steps may be shorter or longer than ours, and lie across
     * them: each counts by how long it lies in one of ours. */
    private loadValues(s: Series, pieces: Pieces<number>, from: number, stepS: number) {
        const covered = new Float64Array(this.length), counts = isCounter(s);
        for (const [at, ...values] of pieces)
            values.forEach((value, k) => {
                const begin = from + (at + k) * stepS, end = begin + stepS;
                for (let i = Math.max(0, this.indexOf(begin)); i < this.length; i++) {
                    const part = Math.min(end, this.timeOf(i + 1)) - Math.max(begin, this.timeOf(i));
                    if (part > this.step * 1e-3) {
                        const known = Number.isNaN(s.values[i]) ? 0 : s.values[i];
                        // A counter's phases come one after the other and add up.
                        s.values[i] = counts ? known + value * part / this.step : (known * covered[i] + value * part) / (covered[i] + part);
                        covered[i] += part;
                    }
                    if (this.timeOf(i + 1) >= end - this.step * 1e-3) break;
                }
                if (!counts) s.last = value;
            });
    }

    /** A reading that did not change is not told again: it holds, for a while.
     * A counter that did not move counted nothing. */
    private hold(s: Series) {
        if (s.buckets) return;
        if (isCounter(s)) {
            const first = s.values.findIndex(v => !Number.isNaN(v)), last = this.indexOf(this.now);
            for (let i = first; first >= 0 && i <= last && i < this.length; i++) if (Number.isNaN(s.values[i])) s.values[i] = 0;
            return;
        }
        const most = Math.max(1, Math.ceil(HOLD / this.step)), end = this.indexOf(this.now);
        for (let i = 1, held = 0; i <= end && i < this.length; i++)
            if (!Number.isNaN(s.values[i])) held = 0;
            else if (++held <= most) s.values[i] = s.values[i - 1];
    }

    private loadBuckets(s: Series, pieces: Pieces<number[]>, from: number, stepS: number) {
        for (const [at, ...values] of pieces)
            values.forEach((pairs, i) => {
                const index = this.indexOf(from + (at + i + 0.5) * stepS);
                if (index >= 0 && index < this.length && pairs.length) addPairs((s.buckets![index] ??= new Map()), pairs);
            });
    }

    /** A value that was told at a moment. */
    private put(s: Series, time: number, value: number) {
        const i = this.indexOf(time);
        if (i >= 0 && i < this.length) s.values[i] = value;
        if (!isCounter(s)) s.last = value;
    }

    /** Time went on to `now`: what was not told again holds. */
    advance(now: number) {
        const by = this.indexOf(now) - (this.length - 1);
        if (now > this.now) this.now = now;
        if (by <= 0) return;
        for (const s of this.series.values()) {
            if (by >= this.length) {
                s.values.fill(NaN);
                s.buckets?.fill(undefined);
            } else {
                s.values.copyWithin(0, by);
                if (s.buckets) s.buckets = [...s.buckets.slice(by), ...Array(by)];
                if (isCounter(s)) {
                    s.values.fill(s.gone || s.last === undefined ? NaN : 0, this.length - by);
                    s.begin = s.last;
                } else {
                    s.values.fill(s.gone || s.last === undefined ? NaN : s.last, this.length - by);
                }
            }
        }
        this.first += by;
    }

    /** A value of a delta, absolute as the socket tells it. */
    tell(s: Series, value: number | { count?: number; sum?: number; new?: number[] }) {
        const at = this.length - 1;
        if (typeof value === 'object') {
            if (value.count && value.sum !== undefined) s.mean = value.sum / value.count;
            if (s.buckets && value.new?.length) addPairs((s.buckets[at] ??= new Map()), value.new);
            return;
        }
        if (isCounter(s)) {
            if (s.begin === undefined || value < s.begin) s.begin = value; // the first, or it began again
            else s.values[at] = (value - s.begin) / this.step;
        } else {
            s.values[at] = value;
        }
        s.last = value;
    }

    /** All series of a metric, or those whose labels are these. */
    find(metric: string, labels: Record<string, string | undefined> = {}): Series[] {
        const out = [];
        for (const s of this.series.values())
            if (s.metric === metric && Object.entries(labels).every(([k, v]) => v === undefined || s.labels[k] === v)) out.push(s);
        return out;
    }

    /** Where the shown window (0) or the one before (1) begins and ends. */
    private range(back: 0 | 1): [number, number] {
        const end = this.lastIndex;
        return back ? [end - 2 * STEPS + 1, end - STEPS + 1] : [end - STEPS + 1, end + 1];
    }

    /** The mean over a window; undefined when nothing was there. */
    mean(s: Series | undefined, back: 0 | 1 = 0): number | undefined {
        if (!s) return undefined;
        const [a, b] = this.range(back);
        let sum = 0, n = 0;
        for (let i = Math.max(0, a); i < b && i < this.length; i++)
            if (!Number.isNaN(s.values[i])) {
                sum += s.values[i];
                n++;
            }
        return n ? sum / n : undefined;
    }

    /** What a window's steps counted, all together. */
    merged(list: Series[], back: 0 | 1 = 0): Buckets {
        const all: Buckets = new Map();
        const [a, b] = this.range(back);
        for (const s of list)
            for (let i = Math.max(0, a); i < b && i < this.length; i++) addBuckets(all, s.buckets?.[i]);
        return all;
    }

    /** p50 and p99 of each step, null where nothing ended. */
    band(list: Series[]): [(number | null)[], (number | null)[]] {
        const p50: (number | null)[] = [], p99: (number | null)[] = [];
        for (let i = 0; i < this.length; i++) {
            const q = list.length === 1 ? this.ofStep(list[0], i) : this.ofSteps(list, i);
            p50.push(q?.[0] ?? null);
            p99.push(q?.[1] ?? null);
        }
        return [p50, p99];
    }

    /** Steps that are over do not change: their quantiles are kept. */
    private ofStep(s: Series, i: number) {
        const b = s.buckets?.[i];
        if (!b) return undefined;
        let q = i < this.length - 1 ? kept.get(b) : undefined;
        if (!q) {
            q = quantiles(b, [0.5, 0.99]);
            if (i < this.length - 1) kept.set(b, q);
        }
        return q;
    }

    private ofSteps(list: Series[], i: number) {
        const all: Buckets = new Map();
        for (const s of list) addBuckets(all, s.buckets?.[i]);
        return all.size ? quantiles(all, [0.5, 0.99]) : undefined;
    }

    /** The middles of all steps: the x of every chart.  The running one ends
     * now, so that what is in it shows at once. */
    times(): number[] {
        const running = this.lastIndex;
        return Array.from({ length: this.length }, (_, i) => (i === running ? Math.min(this.now, this.timeOf(i) + this.step / 2) : this.timeOf(i) + this.step / 2));
    }

    /** Values for a chart: null where nothing is known, the running step only
     * when most of it is over (a rate of its begin says nothing). */
    column(s: Series | undefined): (number | null)[] {
        const out: (number | null)[] = Array(this.length).fill(null);
        if (!s) return out;
        const end = this.lastIndex, partial = isCounter(s) && this.now - this.timeOf(end) < this.step * 0.95;
        for (let i = 0; i < this.length && i <= (partial ? end - 1 : end); i++)
            if (!Number.isNaN(s.values[i])) out[i] = s.values[i];
        return out;
    }

    /** The value that is known last. */
    latest(s: Series | undefined): number | undefined {
        if (!s) return undefined;
        const c = this.column(s);
        for (let i = c.length - 1; i >= 0; i--) if (c[i] !== null) return c[i]!;
        return undefined;
    }

    /** Takes from an older grid what is newer than all that was loaded. */
    continueWith(old: Grid) {
        const loaded = this.now;
        if (old.now <= loaded) return;
        this.advance(old.now);
        for (const [key, from] of old.series) {
            const s = this.series.get(key);
            if (!s) continue;
            for (let i = this.indexOf(loaded) + 1; i < this.length; i++) {
                const j = old.indexOf(this.timeOf(i) + this.step / 2);
                if (j < 0 || j >= old.length) continue;
                s.values[i] = from.values[j];
                if (s.buckets) s.buckets[i] = from.buckets?.[j];
            }
            s.last = from.last ?? s.last;
        }
    }

    /** As it is now, untouched by what comes: for a pause. */
    copy(): Grid {
        const g = new Grid(this.window, this.now, this.origin);
        g.first = this.first;
        for (const [key, s] of this.series)
            g.series.set(key, { ...s, values: s.values.slice(), buckets: s.buckets?.map(b => b && new Map(b)), sum: s.sum?.slice() });
        return g;
    }
}
