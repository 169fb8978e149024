// operator_pane.tsx -- one operator: what Timeline and Graph show beside their
// drawing.

import * as f from '../core/format';
import { useGet } from '../core/hooks';
import { href } from '../core/router';
import type { Operator, Report } from '../core/types';
import { Dash, On } from './basic';
import { shortName } from './hot_operators';

/** "f32[1,3,256]" of what the server tells of a tensor, whatever its form. */
export function shapeText(shape: unknown): string {
    if (typeof shape === 'string') return shape;
    if (Array.isArray(shape)) return `[${shape.join(',')}]`;
    if (shape && typeof shape === 'object') {
        const s = shape as { type?: string; element_type?: string | number; shape?: unknown[]; dims?: unknown[]; name?: string };
        const dims = s.shape ?? s.dims;
        return `${typeof s.type === 'string' ? s.type : typeof s.element_type === 'string' ? s.element_type : ''}${dims ? `[${dims.join(',')}]` : s.name ?? ''}`;
    }
    return String(shape);
}

const shapes = (list: unknown): string[] => (Array.isArray(list) ? list.map(shapeText) : []);

export function OperatorPane({ run, id, of, children }: { run: string; id: number; of?: string; children?: preact.ComponentChildren }) {
    const answer = useGet<Report>('/api/report', { run });
    const all = answer.data?.ops ?? [], o = all.find(x => x.id === id);
    if (!o) return <div class="pane-part"><p class="ink2 s">{answer.error?.message ?? (answer.data ? 'This operator is not among those that were summed up.' : '')}</p></div>;
    const rank = all.filter(x => (x.total_us ?? 0) > (o.total_us ?? 0)).length + 1;
    const usual = [...(o.shapes ?? [])].sort((a, b) => (b.count ?? 0) - (a.count ?? 0))[0], cost = usual ?? o;
    const bytes = (cost.activation_bytes ?? 0) + (cost.parameter_bytes ?? 0) + (cost.output_bytes ?? 0);
    const known = cost.activation_bytes !== undefined || cost.output_bytes !== undefined;
    const before = (o.after ?? []).map(i => all.find(x => x.id === i)).filter((x): x is Operator => !!x);
    const behind = all.filter(x => x.after?.includes(id));
    return (
        <>
            <div class="pane-part">
                <p class="s ink2">{of}{o.layer !== undefined ? `layer ${o.layer}` : 'outside of layers'}{o.component ? ` › ${o.component}` : ''}</p>
                <h2 class="name">{shortName(o)}</h2>
                <p><span class="tag">{o.op_type}</span> <span class="tag"><On provider={o.provider} /></span>{o.constant && <span class="tag">constant work</span>}</p>
            </div>
            {children}
            <dl class="pane-part rows">
                <dt>mean</dt><dd><b>{f.micros(o.mean_us)}</b>{o.method ? <span class="ink3"> {o.method}</span> : null}</dd>
                <dt>median</dt><dd>{o.median_us === undefined ? <Dash why="only sums were kept" /> : f.micros(o.median_us)}</dd>
                <dt>of the operators</dt><dd>{f.share(o.share)}, rank {rank} of {f.count(all.length)}</dd>
                <dt>ran</dt><dd>{f.count(o.count)} times</dd>
                <dt>FLOPs</dt><dd>{o.flops ? <>{f.flops(o.flops)}{o.mean_us ? `, ${f.number(o.flops / o.mean_us / 1e3)} GFLOP/s` : ''}</> : <Dash why="its arithmetic is not known, or none" />}</dd>
                <dt>bytes</dt><dd>{known ? <>{f.bytes(bytes)}{o.mean_us ? `, ${f.number(bytes / o.mean_us / 1e3)} GB/s` : ''}</> : <Dash why="its shapes are not known" />}</dd>
                <dt>energy</dt><dd>{o.joules === undefined ? <Dash why="no source of energy answered" /> : <>{f.joules(o.joules / Math.max(1, o.count))} <span class="ink3">{o.joules_method}</span></>}</dd>
                <dt>without it</dt><dd data-tip="what an inference would save if it took no time at all">−{f.micros(o.per_inference_us ?? o.mean_us)} an inference</dd>
            </dl>
            <dl class="pane-part rows">
                <dt>inputs</dt><dd>{shapes(usual?.inputs).length ? shapes(usual?.inputs).map(s => <div>{s}</div>) : <Dash why="shapes were not recorded" />}</dd>
                <dt>outputs</dt><dd>{shapes(usual?.outputs).length ? shapes(usual?.outputs).map(s => <div>{s}</div>) : <Dash why="shapes were not recorded" />}</dd>
            </dl>
            <div class="pane-part">
                <h3>Depends on <span class="ink3">{before.length} before, {behind.length} behind</span></h3>
                <Neighbours list={before} run={run} mark="→ " /><Neighbours list={behind} run={run} mark="" />
                <p class="s"><a href={href({ view: 'graph', run, op: String(id) })}>in the graph</a> · <a href={href({ view: 'timeline', run, op: String(id) })}>in the timeline</a></p>
            </div>
        </>
    );
}

const Neighbours = ({ list, run, mark }: { list: Operator[]; run: string; mark: string }) => (
    <ul class="neighbours">{list.slice(0, 6).map(o => <li class="ell"><span class="ink3">{mark || '← '}</span><a class="plain" href={href({ view: 'graph', run, op: String(o.id) })}>{o.op_type} <span class="ink3">{shortName(o)}</span></a> <span class="ink2">{f.micros(o.mean_us)}</span></li>)}{list.length > 6 && <li class="ink3">{list.length - 6} more</li>}</ul>
);
