// run_operators.tsx -- the tabs Summary and Operators: phases, tokens, where an
// inference's time goes, and the table of it.

import { useState } from 'preact/hooks';
import { Icicle } from '../charts/icicle';
import * as f from '../core/format';
import { useGet } from '../core/hooks';
import { go, href, params, withParams } from '../core/router';
import { providerClass, work } from '../core/theme';
import type { Gap, Operator, Spans } from '../core/types';
import { Empty, Panel, Skeleton, Swatch } from '../parts/basic';
import { OperatorPane } from '../parts/operator_pane';
import { OperatorTable } from '../parts/operator_table';
import { perInference } from '../parts/hot_operators';
import type { RunData } from './run';
import { TokenMatrix } from './run_tokens';

export function SummaryTab({ data }: { data: RunData }) {
    return (
        <>
            <Phases data={data} />
            {data.report.tokens?.count ? <TokenMatrix data={data} /> : null}
            <div class="cells two">
                <div><Where data={data} /><Account data={data} /><Scaling data={data} /></div>
                <Table data={data} limit={16} narrow />
            </div>
        </>
    );
}

export function OperatorsTab({ data }: { data: RunData }) {
    const op = params().op;
    return (
        <div class={op ? 'with-pane' : ''}>
            <div><Where data={data} /><Account data={data} /><Table data={data} /></div>
            {op && <aside class="pane" aria-label="The operator"><OperatorPane run={data.id} id={Number(op)} /></aside>}
        </div>
    );
}

const pick = (o: Operator) => go(withParams({ tab: 'operators', op: String(o.id) }));

function Where({ data }: { data: RunData }) {
    const list = data.operators?.operators;
    const what = data.report.phases?.decode ? 'one token' : 'one inference';
    if (!list) return <Panel title="Where the time goes"><Skeleton /></Panel>;
    if (!list.length) return <Panel title="Where the time goes"><Empty><p>No operators were traced. <code>ortmeter run --ops all -- …</code> traces every inference.</p></Empty></Panel>;
    const total = list.reduce((a, o) => a + (perInference(o) ?? 0), 0);
    const kinds: [string, string, string][] = [['', 'matrix products', 'cpu'], ['-2', 'other arithmetic', 'cpu-2'], ['-3', 'moving data', 'cpu-3']];
    const elsewhere = list.filter(o => providerClass(o.provider) !== 'cpu').length;
    return (
        <Panel title="Where the time goes" note={`layer → component → operator, mean of an inference, ${f.count(list.length)} operators; click to zoom`}>
            <Icicle operators={list} what={what} pick={pick} />
            <p class="s ink2 classes">{elsewhere ? `${elsewhere} operators not on the CPU; ` : 'all on the CPU: '}{kinds.map(([k, name, colour]) => <span class="key"><Swatch colour={colour} />{name} {f.share(list.filter(o => work(o.op_type) === k).reduce((a, o) => a + (perInference(o) ?? 0), 0) / total)}</span>)}</p>
        </Panel>
    );
}

/** Operators, runtime, tracing: what an inference is made of, and it adds up. */
function Account({ data }: { data: RunData }) {
    const gap: Gap | undefined = data.report.gaps?.sessions[0];
    if (!gap?.run_us || gap.operators_us === undefined) return null;
    const tracing = Math.min((data.report.overhead?.tracing_ns ?? 0) / 1e3, gap.between_us ?? 0);
    const parts: [string, number, string][] = [
        ['operators', gap.operators_us, 'fill-cpu-3'], ['control flow', gap.control_flow_us ?? 0, 'fill-cpu-2'],
        ['runtime', gap.run_us - gap.operators_us - (gap.control_flow_us ?? 0) - tracing, 'fill-bg-3'], ['tracing', tracing, 'hatched'],
    ];
    const shown = parts.filter(p => p[1] > 0);
    let x = 0;
    return (
        <Panel title="An inference, accounted for" note={`as seen, mean of ${f.count(gap.inferences)} traced; operators by clock, the rest by difference`}>
            <svg class="account" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true">
                <defs><pattern id="hatch" width="1.2" height="8" patternUnits="userSpaceOnUse" patternTransform="skewX(-20)"><rect width=".15" height="8" class="fill-axis" /></pattern></defs>
                {shown.map(([, us, cls]) => {
                    const w = us / gap.run_us! * 100, at = x;
                    x += w;
                    return cls === 'hatched' ? <rect x={at} width={Math.max(0, w - 0.1)} height="20" fill="url(#hatch)" /> : <rect class={cls} x={at} width={Math.max(0, w - 0.1)} height="20" />;
                })}
            </svg>
            <p class="s classes">{shown.map(([name, us, cls]) => <span class="key">{cls !== 'hatched' && <Swatch colour={cls.replace('fill-', '')} kind="edge" />}{name} {f.micros(us)}</span>)} <b>= {f.micros(gap.run_us)}</b></p>
        </Panel>
    );
}

function Table({ data, limit, narrow }: { data: RunData; limit?: number; narrow?: boolean }) {
    const [find, search] = useState(params().find ?? '');
    const list = data.operators?.operators ?? [];
    return (
        <Panel title="Operators" note={`${f.count(list.length)}, time of an inference`} now={<input type="search" class="field low" placeholder="filter  /" aria-label="Filter operators" value={find} onInput={e => search(e.currentTarget.value)} />}>
            {list.length ? <OperatorTable operators={list} limit={limit} narrow={narrow} find={find} pick={pick} picked={Number(params().op)} /> : <Empty><p>No operators were traced.</p></Empty>}
        </Panel>
    );
}

/** What happened when, to scale. */
function Phases({ data }: { data: RunData }) {
    const answer = useGet<Spans>('/api/spans', { run: data.id, kinds: 'phase,load,inference', width: 1200 });
    const length = (data.report.run.duration_s ?? 0) * 1e9;
    const bars: { x: number; w: number; cls: string; name: string; ns: number; of: number }[] = [];
    for (const t of answer.data?.tracks ?? []) {
        let at = 0;
        t.start_ns.forEach((d, i) => {
            at += d;
            const busy = t.busy_ns?.[i] ?? t.duration_ns[i];
            if (t.kind === 'load') bars.push({ x: at, w: t.duration_ns[i], cls: 'pre', name: 'load', ns: busy, of: 1 });
            if (t.kind === 'inference' || t.kind === 'phase') bars.push({ x: at, w: t.duration_ns[i], cls: 'decode', name: 'inferences', ns: busy, of: t.count?.[i] ?? 1 });
        });
    }
    const { phases } = data.report;
    const first = bars.filter(b => b.name === 'inferences').sort((a, b) => a.x - b.x)[0];
    if (first && phases?.prefill) first.cls = 'prefill';
    const loads = bars.filter(b => b.name === 'load');
    return (
        <Panel title="Phases" note={`to scale, ${f.time(data.report.run.duration_s)} in all`} now={<a class="s" href={href({ view: 'timeline', run: data.id })}>timeline</a>}>
            <svg class="phases" viewBox="0 0 1000 16" preserveAspectRatio="none" role="img" aria-label="Loading and inferences over the run">
                <rect class="fill-idle" width="1000" height="16" />
                {length > 0 && bars.map(b => <rect class={`fill-${b.cls}`} x={b.x / length * 1000} width={Math.max(0.6, b.w / length * 1000)} height="16" data-tip={`${b.name}\n${f.nanos(b.ns)}`} />)}
            </svg>
            <p class="s classes">
                {loads.length > 0 && <span class="key"><Swatch colour="pre" />load {f.nanos(loads.reduce((a, b) => a + b.ns, 0))}</span>}
                {phases?.prefill && <span class="key"><Swatch colour="prefill" kind="edge" />prefill {f.micros((phases.prefill.mean_us ?? 0) * (phases.prefill.count ?? 0))}, {f.count(phases.prefill.tokens_in)} tokens in</span>}
                {phases?.decode && <span class="key"><Swatch colour="decode" />decode {f.micros((phases.decode.mean_us ?? 0) * (phases.decode.count ?? 0))}, {f.count(phases.decode.count)} tokens</span>}
                {!phases?.decode && <span class="key"><Swatch colour="decode" />{f.count(data.report.latency?.count)} inferences, {f.micros((data.report.latency?.mean_us ?? 0) * (data.report.latency?.count ?? 0))}</span>}
                <span class="key"><Swatch colour="idle" kind="edge" />the rest of the program</span>
            </p>
        </Panel>
    );
}

/** A sweep over batch sizes, where there was one. */
function Scaling({ data }: { data: RunData }) {
    const { scaling } = data.report;
    if (!scaling || scaling.length < 2) return null;
    const most = Math.max(...scaling.map(s => s.samples_per_s));
    return (
        <Panel title="Batch sizes" note="median latency, and samples a second">
            <table><thead><tr><th class="r">batch</th><th class="r">inferences</th><th class="r">p50</th><th class="r">a sample</th><th class="r">samples/s</th><th class="bars" /></tr></thead>
                <tbody>{scaling.map(s => <tr><td class="r">{s.batch}</td><td class="r">{f.count(s.count)}</td><td class="r">{f.micros(s.p50_us)}</td><td class="r">{f.micros(s.p50_us / s.batch)}</td><td class="r">{f.number(s.samples_per_s)}</td><td><svg class="bar-cell" height="12" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true"><rect class="fill-cpu" y="2" height="8" width={s.samples_per_s / most * 100} /></svg></td></tr>)}</tbody></table>
        </Panel>
    );
}
