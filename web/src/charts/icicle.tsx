// icicle.tsx -- where an inference's time goes: layer, component, operator, each
// as wide as its time.  One click zooms into a part, another on top goes back.

import { useState } from 'preact/hooks';
import * as f from '../core/format';
import { useSize, useTheme } from '../core/hooks';
import { css, inkOn, operatorColour } from '../core/theme';
import type { Operator } from '../core/types';
import { perInference, shortName } from '../parts/hot_operators';

interface Part { name: string; us: number; parts: Part[]; operator?: Operator }
const ROW = 40, LEVELS = 4;

const sum = (parts: Part[]) => parts.reduce((a, p) => a + p.us, 0);

function grouped(list: Operator[], key: (o: Operator) => string): [string, Operator[]][] {
    const by = new Map<string, Operator[]>();
    for (const o of list) by.set(key(o), [...(by.get(key(o)) ?? []), o]);
    return [...by];
}

const byTime = (a: Part, b: Part) => b.us - a.us;

/** Layers stand in their order, what is in them by time. */
export function tree(operators: Operator[]): Part {
    const layers = grouped(operators, o => (o.layer === undefined ? '' : String(o.layer)))
        .sort((a, b) => (a[0] === '' ? 1e9 : Number(a[0])) - (b[0] === '' ? 1e9 : Number(b[0])));
    const leaf = (o: Operator): Part => ({ name: o.op_type ?? '?', us: perInference(o) ?? 0, parts: [], operator: o });
    const group = (name: string, list: Operator[]): Part => {
        const parts = list.map(leaf).sort(byTime);
        return { name, us: sum(parts), parts };
    };
    const top: Part[] = [];
    for (const [layer, list] of layers) {
        const parts = grouped(list, o => o.component ?? 'other').map(([c, l]) => group(c, l)).sort(byTime);
        if (layer === '') top.push(...parts);
        else top.push({ name: `layer ${layer}`, us: sum(parts), parts });
    }
    return { name: 'one inference', us: sum(top), parts: top };
}

export function Icicle({ operators, what, pick }: { operators: Operator[]; what: string; pick: (o: Operator) => void }) {
    useTheme();
    const [ref, width] = useSize<HTMLDivElement>();
    const root = tree(operators), [path, zoom] = useState<string[]>([]);
    let shown = root;
    const way = [root];
    for (const name of path) {
        const next = shown.parts.find(p => p.name === name);
        if (!next) break;
        way.push(shown = next);
    }
    const cells: preact.JSX.Element[] = [];
    const draw = (p: Part, x: number, w: number, level: number, trail: string[]) => {
        if (w < 0.5 || level >= LEVELS) return;
        const o = p.operator, colour = o ? css(operatorColour(o.op_type, o.provider)) : css(level === 0 ? 'bg-3' : level % 2 ? 'bg-3' : 'idle');
        const ink = o ? inkOn(colour) : undefined, label = level === 0 ? (path.length ? trail.join(' › ') : what) : p.name;
        const rows = o ? LEVELS - level : 1;
        cells.push(
            <g class="ice" onClick={() => (o ? pick(o) : zoom(level === 0 ? path.slice(0, -1) : trail))}>
                <rect x={x} y={level * ROW} width={Math.max(0.5, w - (w > 2 ? 1 : 0.2))} height={ROW * rows - 1} fill={colour} data-tip={`${o ? `${p.name}  ${shortName(o)}` : p.name}\n${f.micros(p.us)}, ${f.share(p.us / root.us)}`} />
                {w > 30 && <text x={x + 5} y={level * ROW + 16} style={{ fill: ink ?? css('ink') }} class="strong">{clip(label, w - 8)}</text>}
                {w > 64 && <text x={x + 5} y={level * ROW + 30} style={{ fill: ink ?? css('ink-2') }}>{f.micros(p.us)}{level === 0 && !path.length ? ` in ${f.count(operators.length)} operators` : ''}{w > 120 && level > 0 ? `, ${f.share(p.us / root.us)}` : ''}</text>}
            </g>);
        let at = x;
        for (const c of p.parts) {
            const wide = p.us ? c.us / p.us * w : 0;
            draw(c, at, wide, level + 1, [...trail, c.name]);
            at += wide;
        }
    };
    if (width) draw(shown, 0, width, 0, way.slice(1).map(p => p.name));
    return (
        <div ref={ref} class="icicle">
            <svg width={width} height={ROW * LEVELS} role="img" aria-label={`${what}: ${root.parts.slice().sort(byTime).slice(0, 4).map(p => `${p.name} ${f.share(p.us / root.us)}`).join(', ')}`}>{cells}</svg>
        </div>
    );
}

const clip = (text: string, w: number) => {
    const n = Math.floor(w / 6.2);
    return text.length <= n ? text : n < 3 ? '' : `${text.slice(0, n - 1)}…`;
};
