// timeline_pane.tsx -- beside the timeline: the selected operator or inference,
// else what lies in the view or in the chosen stretch.

import type { Scene } from '../charts/timeline';
import * as f from '../core/format';
import { operatorColour } from '../core/theme';
import { Swatch } from './basic';
import { OperatorPane } from './operator_pane';

export function TimelinePane({ run, scene: s }: { run: string; scene: Scene }) {
    const sel = s.selected;
    if (sel && sel.row.kind === 'operator') {
        const t = sel.row.tree, id = t.of[sel.span];
        return (
            <OperatorPane run={run} id={id}>
                <dl class="pane-part rows">
                    <dt>this time</dt><dd><b>{f.nanos(t.duration(sel.span))}</b></dd>
                    <dt>at</dt><dd>{f.nanos(t.start[sel.span])}</dd>
                    <dt>waited</dt><dd data-tip="since the operator before it on this thread ended">{sel.span > 0 ? f.nanos(Math.max(0, t.start[sel.span] - t.end[sel.span - 1])) : f.DASH}</dd>
                </dl>
                <AllRuns scene={s} id={id} at={sel.span} />
            </OperatorPane>
        );
    }
    const [from, to] = s.stretch ?? (sel ? [sel.row.tree.start[sel.span], sel.row.tree.end[sel.span]] : [Math.max(0, s.from), Math.min(s.total, s.to)]);
    return <Stretch scene={s} from={from} to={to} name={s.stretch ? 'Selected' : sel ? `${sel.row.kind === 'load' ? 'Loading' : sel.row.kind === 'inference' ? 'Inference' : 'Selected'} ${sel.row.kind === 'inference' ? sel.row.tree.of[sel.span] : ''}` : 'In view'} />;
}

/** The same operator in every traced inference. */
function AllRuns({ scene: s, id, at }: { scene: Scene; id: number; at: number }) {
    const tree = s.selected!.row.tree, runs: [number, boolean][] = [];
    for (let i = 0; i < tree.length && runs.length < 400; i++) if (tree.of[i] === id) runs.push([tree.duration(i), i === at]);
    const most = Math.max(...runs.map(r => r[0]));
    if (runs.length < 2) return null;
    const w = Math.min(24, 288 / runs.length);
    return (
        <div class="pane-part">
            <h3>In all {runs.length} runs of it <span class="ink3">most {f.nanos(most)}</span></h3>
            <svg width="288" height="40" role="img" aria-label={`${runs.length} runs, the longest ${f.nanos(most)}`}>{runs.map(([d, here], i) => <rect class={here ? 'fill-ink' : 'fill-axis'} x={i * w} y={40 - Math.max(1, d / most * 40)} width={Math.max(0.8, w - 1)} height={Math.max(1, d / most * 40)} />)}</svg>
        </div>
    );
}

interface Sum { us: number; n: number; provider?: string }

function Stretch({ scene: s, from, to, name }: { scene: Scene; from: number; to: number; name: string }) {
    const types = new Map<string, Sum>();
    let busy = 0, count = 0, inferences = 0;
    for (const r of s.rows) {
        const t = r.tree;
        if (r.kind !== 'operator' && r.kind !== 'inference') continue;
        for (let i = t.firstEndingAfter(from); i < t.length && t.start[i] < to; i++) {
            if (r.kind === 'inference') {
                inferences++;
                continue;
            }
            const part = Math.min(to, t.end[i]) - Math.max(from, t.start[i]), o = s.operators.get(t.of[i]), type = o?.op_type ?? 'unknown';
            const sum = types.get(type) ?? { us: 0, n: 0, provider: o?.provider };
            sum.us += part / 1e3;
            sum.n++;
            types.set(type, sum);
            busy += part;
            count++;
        }
    }
    const list = [...types].sort((a, b) => b[1].us - a[1].us);
    return (
        <>
            <div class="pane-part"><h2 class="name">{name}</h2>
                <dl class="rows-flat"><dt>time</dt><dd><b>{f.nanos(to - from)}</b></dd><dt>inferences</dt><dd>{f.count(inferences)}</dd><dt>operator runs</dt><dd>{f.count(count)}</dd><dt>in operators</dt><dd>{f.nanos(busy)}, {f.share(busy / (to - from))}</dd><dt>between them</dt><dd>{f.nanos(Math.max(0, to - from - busy))}</dd></dl>
            </div>
            <div class="pane-part"><h3>By type <span class="ink3">{list.length}</span></h3>
                <table><tbody>{list.slice(0, 14).map(([type, x]) => <tr><td class="ell"><Swatch colour={operatorColour(type, x.provider)} />{type}</td><td class="r ink3">{f.count(x.n)}</td><td class="r">{f.micros(x.us)}</td><td class="r">{f.share(x.us * 1e3 / (busy || 1))}</td></tr>)}</tbody></table>
            </div>
            <div class="pane-part s ink2"><p><Swatch colour="cpu" />matrix products <Swatch colour="cpu-2" />other arithmetic <Swatch colour="cpu-3" />moving data</p><p>Click an operator to see it; shift-drag measures a stretch. <kbd>w</kbd> <kbd>s</kbd> zoom, <kbd>a</kbd> <kbd>d</kbd> move, <kbd>f</kbd> fits, <kbd>[</kbd> <kbd>]</kbd> slow ones.</p></div>
        </>
    );
}
