// live.ts -- figures of the Live view, computed from what the store shows: the
// only place that knows which series mean what.

import { countOf, quantiles, type Buckets } from './buckets';
import type { Grid, Series } from './grid';
import type { Shown } from './store';
import type { Session } from './types';

/** The session that the view is about: the one asked for, or the busiest. */
export function chosen(shown: Shown): Session | undefined {
    const wanted = shown.session;
    if (wanted === undefined) return [...shown.sessions].sort((a, b) => (b.inferences ?? 0) - (a.inferences ?? 0))[0];
    const id = Number(wanted.slice(wanted.lastIndexOf('/') + 1));
    return shown.sessions.find(s => s.session_id === wanted) ?? shown.sessions.find(s => s.id === id) ?? shown.sessions[0];
}

const of = (s: Session | undefined) => (s ? { session: String(s.id) } : {});
const inRun = (list: Series[], run: string | undefined) => (run ? list.filter(s => !s.run_id || s.run_id === run) : list);

export function latencySeries(shown: Shown, session: Session | undefined, phase?: string): Series[] {
    return inRun(shown.grid.find('inference_duration_seconds', { ...of(session), phase }), session?.run_id);
}

export const sessionSeries = (shown: Shown, metric: string, session: Session | undefined) =>
    inRun(shown.grid.find(metric, of(session)), session?.run_id)[0];

/** Tokens a second: as counted, else the decode steps that ended (each makes
 * one); nothing where no text is generated. */
export function tokenColumn(shown: Shown): (number | null)[] | undefined {
    const { grid } = shown, told = grid.find('tokens_total');
    if ((meanOf(grid, told) ?? 0) > 0) return summed(grid, told);
    const decode = grid.find('inference_duration_seconds', { phase: 'decode' });
    if (!decode.length) return undefined;
    let begun = false;
    return Array.from({ length: grid.length }, (_, i) => {
        let n = 0;
        for (const s of decode) if (s.buckets?.[i]) n += countOf(s.buckets[i]!);
        begun ||= n > 0;
        return begun && i <= grid.indexOf(grid.now) ? n / grid.step : null;
    });
}

/** Adds series step by step; null where none of them has a value. */
export function summed(grid: Grid, list: Series[]): (number | null)[] {
    const columns = list.map(s => grid.column(s));
    return Array.from({ length: grid.length }, (_, i) => {
        let sum: number | null = null;
        for (const c of columns) if (c[i] !== null) sum = (sum ?? 0) + c[i]!;
        return sum;
    });
}

export function meanOf(grid: Grid, list: Series[], back: 0 | 1 = 0): number | undefined {
    let sum: number | undefined;
    for (const s of list) {
        const m = grid.mean(s, back);
        if (m !== undefined) sum = (sum ?? 0) + m;
    }
    return sum;
}

export const latestOf = (grid: Grid, list: Series[]): number | undefined => {
    let sum: number | undefined;
    for (const s of list) {
        const v = grid.latest(s);
        if (v !== undefined && !s.gone) sum = (sum ?? 0) + v;
    }
    return sum;
};

export interface Percentiles { count: number; buckets: Buckets; values: (number | undefined)[]; before: (number | undefined)[] }
export const SHARES = [0.5, 0.9, 0.95, 0.99, 0.999];
export const SHARE_NAMES = ['p50', 'p90', 'p95', 'p99', 'p99.9'];
const LEAST = [1, 10, 20, 100, 1000]; // inferences that a percentile needs

/** Percentiles of the window and of the one before it. */
export function percentiles(grid: Grid, list: Series[]): Percentiles {
    const now = grid.merged(list), before = grid.merged(list, 1);
    const known = (b: Buckets) => {
        const n = countOf(b);
        return quantiles(b, SHARES).map((v, i) => (n >= LEAST[i] ? v : undefined));
    };
    return { count: countOf(now), buckets: now, values: known(now), before: known(before) };
}

/** Power of the machine: zones that lie in no other one, each once. */
export function powerZones(grid: Grid): Series[] {
    const watts = grid.find('zone_power_watts').filter(s => Number.isFinite(grid.latest(s) ?? NaN));
    const joules = grid.find('zone_energy_joules_total').filter(s => (grid.mean(s) ?? 0) > 0);
    const devices = grid.find('device_power_watts');
    const battery = grid.find('battery_power_watts');
    const zones = watts.length ? watts : joules;
    return [...zones, ...devices, ...(zones.length || devices.length ? [] : battery)];
}

export const isWithin = (s: Series) => !!s.labels.parent || /^(cores?|uncore|gpu-in)/.test(s.labels.zone ?? '');
