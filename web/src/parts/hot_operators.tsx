// hot_operators.tsx -- where the time goes now: same nodes of all layers in one
// row, a heat cell for each layer.

import { useState } from 'preact/hooks';
import * as f from '../core/format';
import { href } from '../core/router';
import { useGet } from '../core/hooks';
import { operatorsOf } from '../core/operators';
import type { Shown } from '../core/store';
import { heat, operatorColour, setting } from '../core/theme';
import type { Operator, Operators } from '../core/types';
import { Dash, Empty, Panel } from './basic';

type By = 'same' | 'node' | 'type';
const BUTTONS: [By, string][] = [['same', 'all layers'], ['node', 'each'], ['type', 'type']];

export function HotOperators({ shown }: { shown: Shown }) {
    const [by, choose] = useState<By>((setting('hot') as By) || 'same');
    const [find, search] = useState('');
    const run = shown.runs[0]?.run_id;
    const other = useGet<Operators>(by === 'same' || !run ? undefined : '/api/operators', { run, by, limit: 200 });
    const answer = by === 'same' ? shown.operators : other.data && operatorsOf(other.data);
    const rows = (answer?.operators ?? []).filter(o => !find || matches(o, find)).slice(0, 9);
    // A session with one provider ran there; with several only the answer can tell.
    const asked = new Set(shown.sessions.flatMap(s => s.providers)), only = asked.size === 1 ? [...asked][0] : undefined;
    const note = answer?.inferences ? `${shown.phase === 'decode' ? 'of a decode step; ' : ''}${f.count(answer.traced ?? answer.inferences)} traced` : undefined;
    return (
        <Panel title="Hottest operators" note={note} kind="hot" now={<>
            <input type="search" class="field low" placeholder="filter  /" aria-label="Filter operators" value={find} onInput={e => search(e.currentTarget.value)} />
            <span class="seg opt">{BUTTONS.map(([b, name]) => <button class="btn low" aria-pressed={b === by} onClick={() => { setting('hot', b); choose(b); }}>{name}</button>)}</span>
        </>}>
            {rows.length ? <OperatorRows rows={rows.map(o => ({ ...o, provider: o.provider ?? only }))} run={run} /> : <Empty><p>{other.error?.message ?? (answer?.operators.length ? 'No operator has that in its name.' : why(shown))}</p></Empty>}
        </Panel>
    );
}

function why(shown: Shown): string {
    const m = shown.missing.find(x => /^operators/.test(x.member ?? ''));
    if (m) return m.remedy ? `${m.reason}. ${m.remedy}` : m.reason;
    return shown.meters[0]?.ops === 'off' ? 'Operators are not traced: the run was started with --ops off.' : 'No inference was traced in this window yet.';
}

export const matches = (o: Operator, find: string) =>
    `${o.name ?? ''} ${o.op_type ?? ''} ${o.component ?? ''} ${o.provider ?? ''} ${o.layer !== undefined ? `layer ${o.layer}` : ''}`.toLowerCase().includes(find.toLowerCase());

/** A node's name without what its layer and the exporter put around it. */
export function shortName(o: Operator): string {
    const name = o.name || (o.operators ? `${o.op_type}` : `${o.op_type ?? 'operator'} ${o.id ?? ''}`);
    return name.replace(/^.*layers?[._]?(\d+|\*|X)\//, '').replace(/^\/(model\/)?/, '').replace(/\/(MatMul|Gemm|Conv)$/, '') || name;
}

export const perInference = (o: Operator) => o.per_inference_us ?? o.mean_us;

function OperatorRows({ rows, run }: { rows: Operator[]; run?: string }) {
    const most = Math.max(...rows.flatMap(r => (r.layers && r.layers.length > 1 ? r.layers.map(l => l[1]) : [0])));
    const first = rows[0].share || 1, layers = Math.max(0, ...rows.map(r => r.layers?.length ?? 0));
    return (
        <table class="hot">
            <thead><tr><th>operator</th><th class="opt">type</th>{layers > 1 && <th class="opt">layers 0 … {layers - 1}</th>}<th class="bars">share</th><th class="r" /><th class="r">time</th><th class="r opt">change</th></tr></thead>
            <tbody>{rows.map(r => (
                <tr key={r.id ?? r.name ?? r.op_type}>
                    <td class="ell"><a class="plain" href={href({ view: 'graph', run, op: r.id === undefined ? undefined : String(r.id) })}>{shortName(r)}</a>{(r.operators ?? r.layers?.length ?? 0) > 1 && <span class="ink3"> ×{r.operators ?? r.layers!.length}</span>}</td>
                    <td class="opt ink2">{r.op_type}</td>
                    {layers > 1 && <td class="opt"><svg width={Math.min(16, layers) * 9} height="12" aria-hidden="true">{(r.layers?.length ?? 0) > 1 && r.layers!.slice(0, 16).map(([layer, us], i) => <rect x={i * 9} y="0" width="8" height="12" fill={heat(Math.sqrt(us / most) * 0.9)}><title>layer {layer}: {f.micros(us)}</title></rect>)}</svg></td>}
                    <td><Bar share={(r.share ?? 0) / first} colour={operatorColour(r.op_type, r.provider)} /></td>
                    <td class="r">{r.share === undefined ? <Dash why="the server did not tell the share" /> : f.share(r.share)}</td>
                    <td class="r">{f.micros(perInference(r))}</td>
                    <td class="r opt ink3">{f.changeOf(perInference(r), r.before_us)}</td>
                </tr>
            ))}</tbody>
        </table>
    );
}

/** A bar of a share; SVG, since an attribute `style` would break the CSP. */
export const Bar = ({ share, colour }: { share: number; colour: string }) =>
    <svg class="bar-cell" height="12" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true"><rect class={`fill-${colour}`} y="2" height="8" width={Math.max(0.5, Math.min(1, share) * 100)} /></svg>;

