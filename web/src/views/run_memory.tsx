// run_memory.tsx -- memory over the run.

import { TimeChart } from '../charts/time_chart';
import * as f from '../core/format';
import { useGet } from '../core/hooks';
import type { History } from '../core/types';
import { Empty, Panel, Skeleton, Swatch } from '../parts/basic';
import type { RunData } from './run';

const METRICS: [string, string, string][] = [
    ['process_resident_bytes', 'resident', 'ink'], ['process_anonymous_bytes', 'heap and stacks', 'cpu'], ['session_arena_held_bytes', 'arena', 'cpu-2'], ['process_device_memory_bytes', 'on devices', 'gpu'],
];

/** The points of a series, since the run's start. */
export function points(h: History, metric: string, startNs: number): [number[], number[]] {
    const s = h.series.find(x => x.metric === metric);
    const x: number[] = [], y: number[] = [];
    for (const [t, v] of s?.points ?? []) {
        x.push((t - startNs) / 1e9);
        y.push(v);
    }
    if (s?.pieces) for (const pieces of Object.values(s.pieces))
        for (const [first, ...values] of pieces as [number, ...number[]][]) values.forEach((v, i) => {
            x.push((h.from_ns - startNs) / 1e9 + (first + i + 0.5) * h.step_s);
            y.push(v);
        });
    return [x, y];
}

/** Several series on one x: null where one has no value there. */
export function aligned(list: [number[], number[]][]): (number | null)[][] {
    const all = [...new Set(list.flatMap(l => l[0]))].sort((a, b) => a - b), at = new Map(all.map((t, i) => [t, i]));
    const columns = list.map(([x, y]) => {
        const c: (number | null)[] = Array(all.length).fill(null);
        x.forEach((t, i) => (c[at.get(t)!] = y[i]));
        for (let i = 1, last: number | null = c[0]; i < c.length; i++) c[i] === null ? (c[i] = last) : (last = c[i]);
        return c;
    });
    return [all, ...columns];
}

export function MemoryTab({ data }: { data: RunData }) {
    const r = data.report, m = r.memory ?? {};
    const answer = useGet<History>('/metrics/history', { run: data.id, metric: 'process_resident_bytes,process_anonymous_bytes', width: 1200, form: 'pieces' });
    const h = answer.data, list = h ? METRICS.filter(([name]) => h.series.some(s => s.metric === name)) : [];
    const columns = h ? aligned(list.map(([name]) => points(h, name, r.run.started_ns))) : [];
    const ROWS: [string, string][] = [
        ['the most', f.bytes(m.peak_rss_bytes)], ['mean of seconds', f.bytes(m.rss_mean_bytes)], ['at first', f.bytes(m.rss_first_bytes)], ['at last', f.bytes(m.rss_last_bytes)],
        ['page faults, minor', f.count(m.minor_faults)], ['page faults, from storage', f.count(m.major_faults)], ['activations at once, most', f.bytes((r.gaps?.sessions[0] as { peak_activation_bytes?: number } | undefined)?.peak_activation_bytes)],
    ];
    return (
        <>
            <Panel fill kind="tall" title="Memory" note={list.map(([, name, colour]) => <span class="key"><Swatch colour={colour} kind="line" />{name}</span>)} now={<>the most <b>{f.bytes(m.peak_rss_bytes)}</b></>}>
                {answer.error ? <Empty><p>{answer.error.message}</p></Empty> : !h ? <Skeleton /> : columns.length < 2 || columns[0].length < 2
                    ? <Empty><p>Too few readings were kept of so short a run.</p></Empty>
                    : <TimeChart label={`Resident memory, at most ${f.bytes(m.peak_rss_bytes)}`} lines={list.map(([, name, colour]) => ({ label: name, colour, steps: true }))} data={() => columns}
                        range={() => [0, r.run.duration_s ?? columns[0].at(-1)!]} format={v => f.bytes(v)} axis={v => f.tick(f.time(v))} />}
            </Panel>
            <div class="cells two">
                <Panel title="Figures"><table><tbody>{ROWS.map(([name, text]) => <tr><td>{name}</td><td class="r"><b>{text}</b></td></tr>)}</tbody></table></Panel>
                <Panel title="Growth" note="memory that comes and does not go">
                    {r.leak ? <p class="s">{r.leak.text ?? `${f.bytes(r.leak.bytes_per_s)} a second`}</p> : <Empty><p>{m.rss_last_bytes !== undefined && m.rss_first_bytes !== undefined ? `From the first to the last second ${f.signed(m.rss_last_bytes - m.rss_first_bytes, f.bytes)}. ` : ''}No verdict on a leak: the run does not hold one.</p></Empty>}
                </Panel>
            </div>
        </>
    );
}
