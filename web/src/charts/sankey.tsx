// sankey.tsx -- where the joules went: source, phase, component.  Bands take the
// phase's colour; what ends where it stands is idle, of others, or unattributed.

import { sankey, sankeyLeft, type SankeyNode } from 'd3-sankey';
import * as f from '../core/format';
import { useSize } from '../core/hooks';
import { phaseColour } from '../core/theme';

export interface Flow { from: string; to: string; joules: number; method?: string; how?: string }
const PHASES = ['pre_inference', 'prefill', 'decode', 'post_inference'];
const label = (name: string) => name.replace(/^\w+:/, '').replace(/_/g, ' ');

function colour(name: string, from?: string): string {
    if (PHASES.includes(name)) return phaseColour(name);
    if (from && PHASES.includes(from)) return phaseColour(from);
    return 'idle';
}

export function Sankey({ flows }: { flows: Flow[] }) {
    const [ref, width] = useSize<HTMLDivElement>();
    const height = 300, total = flows.filter(x => !flows.some(y => y.to === x.from)).reduce((a, x) => a + x.joules, 0);
    const names = [...new Set(flows.flatMap(x => [x.from, x.to]))];
    const picture = width && flows.length ? sankey().nodeId(n => n.name).nodeWidth(8).nodePadding(14).nodeAlign(sankeyLeft).nodeSort(null)
        .extent([[0, 6], [width - 240, height - 6]])({
            nodes: names.map(name => ({ name })),
            links: flows.filter(x => x.joules > 0).map(x => ({ source: x.from, target: x.to, value: x.joules, method: x.method })),
        }) : undefined;
    return (
        <div ref={ref} class="sankey">
            <svg width={width} height={height} role="img" aria-label={`Energy: ${flows.map(x => `${label(x.from)} to ${label(x.to)} ${f.joules(x.joules)}`).join(', ')}`}>
                {picture?.links.map(l => {
                    const x0 = l.source.x1!, x1 = l.target.x0!, m = (x0 + x1) / 2, h = Math.max(0.5, l.width!) / 2, a = l.y0!, b = l.y1!;
                    return <path class={`band fill-${colour(l.target.name, l.source.name)}`} data-tip={`${label(l.source.name)} → ${label(l.target.name)}\n${f.joules(l.value)}, ${f.share(l.value / total)}${l.method ? `, ${l.method}` : ''}`}
                        d={`M${x0} ${a - h}C${m} ${a - h} ${m} ${b - h} ${x1} ${b - h}V${b + h}C${m} ${b + h} ${m} ${a + h} ${x0} ${a + h}Z`} />;
                })}
                {picture?.nodes.map(n => <Node node={n} total={total} />)}
            </svg>
        </div>
    );
}

function Node({ node: n, total }: { node: SankeyNode; total: number }) {
    const y = (n.y0! + n.y1!) / 2 + 4, root = !n.targetLinks?.length;
    return (
        <g>
            <rect class={root ? 'fill-cpu' : PHASES.includes(n.name) ? `fill-${phaseColour(n.name)}` : 'fill-axis'} x={n.x0} y={n.y0} width={8} height={Math.max(1, n.y1! - n.y0!)} />
            <text x={n.x1! + 6} y={root ? Math.max(14, n.y0! + 14) : y} class="flow"><tspan class="strong">{label(n.name)}</tspan> {f.joules(n.value)} <tspan class="soft">{f.share(n.value! / total)}</tspan></text>
        </g>
    );
}
