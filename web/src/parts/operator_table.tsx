// operator_table.tsx -- operators with what they cost: sorted, searched, picked.

import { useMemo, useState } from 'preact/hooks';
import * as f from '../core/format';
import { operatorColour } from '../core/theme';
import type { Operator } from '../core/types';
import { Dash } from './basic';
import { Bar, matches, perInference, shortName } from './hot_operators';

type Column = { name: string; value: (o: Operator) => number | undefined; text: (o: Operator) => string; why: string; wide?: boolean };
const bytesOf = (o: Operator) => {
    const usual = o.shapes?.[0] ?? o, all = [usual.activation_bytes, usual.parameter_bytes, usual.output_bytes].filter((v): v is number => v !== undefined);
    return all.length ? all.reduce((a, b) => a + b, 0) : undefined;
};
const perSecond = (amount: number | undefined, us: number | undefined) => (amount && us ? amount / us * 1e6 : undefined);

const COLUMNS: Column[] = [
    { name: 'time', value: perInference, text: o => f.micros(perInference(o)), why: 'it was not timed' },
    { name: 'median', value: o => o.median_us, text: o => f.micros(o.median_us), why: 'only sums were kept', wide: true },
    { name: 'share', value: o => o.share, text: o => f.share(o.share), why: 'its share is not known' },
    { name: 'GFLOP/s', value: o => perSecond(o.flops, o.mean_us), text: o => number(perSecond(o.flops, o.mean_us), 1e9), why: 'its arithmetic is not known, or none', wide: true },
    { name: 'GB/s', value: o => perSecond(bytesOf(o), o.mean_us), text: o => number(perSecond(bytesOf(o), o.mean_us), 1e9), why: 'its shapes are not known', wide: true },
    { name: 'energy', value: o => o.joules, text: o => f.joules(o.joules), why: 'no source of energy answered', wide: true },
];
const number = (v: number | undefined, unit: number) => f.number(v === undefined ? undefined : v / unit);

export function OperatorTable({ operators, limit, narrow, find, pick, picked }: {
    operators: Operator[]; limit?: number; narrow?: boolean; find?: string; pick?: (o: Operator) => void; picked?: number;
}) {
    const [sort, by] = useState('time');
    const columns = COLUMNS.filter(c => !narrow || !c.wide);
    const rows = useMemo(() => {
        const column = COLUMNS.find(c => c.name === sort)!;
        return operators.filter(o => !find || matches(o, find)).sort((a, b) => (column.value(b) ?? -1) - (column.value(a) ?? -1));
    }, [operators, find, sort]);
    const most = Math.max(...rows.map(o => o.share ?? 0), 1e-9);
    if (!rows.length) return <p class="s ink2">No operator has that in its name, type, layer or provider.</p>;
    return (
        <table class={`operators ${narrow ? 'narrow' : ''}`}>
            <thead><tr><th>operator</th><th>type</th><th class="hide1280">layer</th>{columns.map(c => <th class="r" aria-sort={c.name === sort ? 'descending' : undefined}><button class="bare-button" onClick={() => by(c.name)}>{c.name}{c.name === sort ? ' ↓' : ''}</button></th>)}<th class="bars" /></tr></thead>
            <tbody>{rows.slice(0, limit ?? 500).map(o => (
                <tr key={o.id ?? o.name} aria-selected={o.id !== undefined && o.id === picked} class={pick ? 'pick' : ''} onClick={() => pick?.(o)}>
                    <td class="ell" data-tip={o.name}>{pick ? <button class="bare-button" onClick={e => { e.stopPropagation(); pick(o); }}>{shortName(o)}</button> : shortName(o)}{(o.operators ?? 0) > 1 && <span class="ink3"> ×{o.operators}</span>}</td>
                    <td class="ink2 ell">{o.op_type}</td>
                    <td class="ink2 ell hide1280">{o.layer ?? ''}{o.component ? ` ${o.component}` : ''}</td>
                    {columns.map(c => <td class="r">{c.value(o) === undefined ? <Dash why={c.why} /> : c.text(o)}</td>)}
                    <td><Bar share={(o.share ?? 0) / most} colour={operatorColour(o.op_type, o.provider)} /></td>
                </tr>
            ))}</tbody>
            {rows.length > (limit ?? 500) && <tfoot><tr><td colSpan={4 + columns.length} class="ink3">the first {limit ?? 500} of {f.count(rows.length)}</td></tr></tfoot>}
        </table>
    );
}
