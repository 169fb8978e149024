// run_placement.tsx -- where operators ran, and what ONNX Runtime made of the
// file's nodes.

import * as f from '../core/format';
import { href } from '../core/router';
import { Dash, Empty, On, Panel } from '../parts/basic';
import type { RunData } from './run';

export function PlacementTab({ data }: { data: RunData }) {
    const { placement = [], fusion = [], sessions } = data.report;
    const model = (id: number) => sessions.find(s => s.id === id)?.model ?? `session ${id}`;
    return (
        <>
            <Panel title="Placement" note="asked for, and ran on">
                {placement.length === 0 ? <Empty><p>No operators were traced: where they ran is not known.</p></Empty> : <table>
                    <thead><tr><th>model</th><th>asked for</th><th>ran on</th><th class="r">operators</th><th class="r">time</th><th class="r">share</th></tr></thead>
                    <tbody>{placement.flatMap(p => p.providers.map((x, i) => <tr><td>{i ? '' : model(p.session)}</td><td class="ink2">{i ? '' : (sessions.find(s => s.id === p.session)?.providers ?? []).map(n => n.replace(/ExecutionProvider$/, '')).join(', ')}</td><td><On provider={x.provider} /></td><td class="r">{f.count(x.operators)}</td><td class="r">{f.micros(x.total_us)}</td><td class="r">{f.share(x.share)}</td></tr>))}</tbody>
                </table>}
            </Panel>
            <Panel title="Fusion" note="nodes in the file, and nodes that ran" now={<a class="s" href={href({ view: 'graph', run: data.id })}>in the graph</a>}>
                {fusion.length === 0 ? <Empty><p>The model's file was not read, or nothing was traced.</p></Empty> : <table>
                    <thead><tr><th>model</th><th class="r">in the file</th><th class="r">ran</th><th class="r">as they are</th><th class="r">fused away</th><th class="r">made by fusion</th><th class="r">put in</th><th class="r">folded</th><th class="r">removed</th></tr></thead>
                    <tbody>{fusion.map(x => <tr><td>{model(x.session)}</td>{[x.file_nodes, x.executed, x.kept, x.fused_nodes, x.made_by_fusion, x.inserted, x.folded_nodes, x.removed_nodes].map(v => <td class="r">{v === undefined ? <Dash why="not known" /> : f.count(v)}</td>)}</tr>)}</tbody>
                </table>}
            </Panel>
            {fusion.some(x => x.groups?.length) && <Panel title="What was fused">
                <table class="operators"><thead><tr><th>into</th><th>type</th><th>of</th><th class="r">time</th></tr></thead>
                    <tbody>{fusion.flatMap(x => (x.groups ?? []).slice(0, 200).map(g => <tr><td class="ell" data-tip={g.name}>{g.name}</td><td class="ink2">{g.op_type}</td><td class="ink2 ell" data-tip={g.nodes.join('\n')}>{g.nodes.length} nodes: {g.nodes.map(n => n.split(' ')[0]).join(', ')}</td><td class="r">{f.micros(g.total_us)}</td></tr>))}</tbody></table>
            </Panel>}
        </>
    );
}
