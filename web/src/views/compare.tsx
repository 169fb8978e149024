// compare.tsx -- two runs: the verdict first, then what it is made of.

import { useState } from 'preact/hooks';
import { Dots, Forest, interval, Overlaid, Shift, tone, verdictWord } from '../charts/comparison';
import { PROFILING } from '../core/api';
import { addPairs, type Buckets } from '../core/buckets';
import * as f from '../core/format';
import { useGet, useRoute, useTheme } from '../core/hooks';
import { go, href, params, withParams } from '../core/router';
import type { ComparedRun, CompareOperator, Comparison, Figure, RunRow } from '../core/types';
import { Dash, Empty, Failure, Panel, Skeleton, Swatch } from '../parts/basic';
import { matches, shortName } from '../parts/hot_operators';
import '../style/run.css';
import '../style/compare.css';

const KNOWN: [string, string][] = [['median_us', 'us'], ['mean_us', 'us'], ['p95_us', 'us'], ['p99_us', 'us'], ['ttft_ms', 'ms'], ['tpot_ms', 'ms'], ['inferences_per_s', ''], ['peak_rss_bytes', 'bytes'], ['joules_per_inference', 'joules']];

export function CompareView() {
    useRoute();
    useTheme();
    const p = params(), runs = useGet<{ runs: RunRow[] }>(`${PROFILING}/runs`, { limit: 100 });
    const list = (runs.data?.runs ?? []).filter(r => r.status !== 'running');
    const b = p.b ?? (p.a ? list.find(r => r.run_id !== p.a)?.run_id : list[0]?.run_id), a = p.a ?? list.find(r => r.run_id !== b)?.run_id;
    const answer = useGet<Comparison>(a && b ? '/api/compare' : undefined, { a, b });
    const set = (which: 'a' | 'b') => (e: Event) => go(withParams({ a, b, [which]: (e.currentTarget as HTMLSelectElement).value }));
    if (runs.data && list.length < 2 && !(p.a && p.b)) return <main class="pad"><Empty><b>Two runs are needed.</b><p>{list.length ? 'One is recorded so far.' : 'None is recorded yet.'} Run the program again, changed: <code>ortmeter run -- node your_app.js</code></p></Empty></main>;
    return (
        <main class="run compare">
            <div class="sub">
                <div class="what">
                    <Swatch colour="axis" /><Picker label="Before" list={list} value={a} onChange={set('a')} />
                    <span class="ink3">then</span>
                    <Swatch colour="ink" /><Picker label="After" list={list} value={b} onChange={set('b')} />
                    <button class="btn" onClick={() => go(withParams({ a: b, b: a }))}>swap</button>
                </div>
            </div>
            {answer.error ? <div class="pad"><Failure error={answer.error} again={answer.again} /></div> : answer.data ? <Result c={answer.data} /> : <Skeleton />}
        </main>
    );
}

function Picker({ label, list, value, onChange }: { label: string; list: RunRow[]; value?: string; onChange: (e: Event) => void }) {
    const there = list.some(r => r.run_id === value);
    return (
        <select class="field" aria-label={label} value={value} onChange={onChange}>
            {!there && value && <option value={value}>{/^[0-9a-f-]{36}$/.test(value) ? value.slice(0, 8) : value}</option>}
            {list.map(r => <option value={r.run_id}>{r.run_id.slice(0, 8)} {r.tags || r.model_name || r.command}</option>)}
        </select>
    );
}

function buckets(pairs?: number[]): Buckets {
    const b: Buckets = new Map();
    addPairs(b, pairs ?? []);
    return b;
}

/** The server's figures; an older one tells them as members of their own. */
function figuresOf(c: Comparison): Figure[] {
    if (c.figures?.length) return c.figures;
    return KNOWN.flatMap(([name, unit]) => {
        const v = c[name] as { before?: number; after?: number; ratio?: number } | undefined;
        return v?.ratio === undefined ? [] : [{ name: name.replace(/_(us|ms|bytes|per_s)$/, ''), unit, before: v.before, after: v.after, change: v.ratio - 1, interval: name === 'median_us' && c.median_ratio_interval ? c.median_ratio_interval.map(x => x - 1) as [number, number] : undefined }];
    });
}

/** What the verdict is about: the first of the figures, the undisturbed time. */
function headline(c: Comparison, first?: Figure): string {
    const change = first?.change === undefined ? '' : `: ${f.change(first.change)}`;
    switch (c.verdict) {
    case 'worse': return `Worse${change}`;
    case 'better': return `Better${change}`;
    case 'same': return `The same${change}`;
    case 'refused': return 'Not comparable';
    default: return `Cannot tell${change}`;
    }
}

/** "they differ in" one of these: numbers have a unit. */
const said = (unit?: string, v?: string | number) => (v === undefined ? 'unset' : typeof v === 'number' ? f.ofUnit(unit, v) : v);

function Side({ name, colour, id, runs }: { name: string; colour: string; id: string; runs?: ComparedRun[] }) {
    const count = runs?.length ?? 1;
    return <><dt><Swatch colour={colour} />{name}</dt><dd>{count > 1 ? `${count} runs` : <a href={href({ view: 'run', run: id })}>{id.slice(0, 8)}</a>}</dd></>;
}

function Result({ c }: { c: Comparison }) {
    const before = buckets(c.latency?.before), after = buckets(c.latency?.after), figures = figuresOf(c);
    const differs = c.differs ?? [], first = figures[0], judged = c.verdict === 'worse' || c.verdict === 'better', runs = c.runs;
    const several = (runs?.before.length ?? 1) > 1 || (runs?.after.length ?? 1) > 1;
    return (
        <>
            <section class="verdict" aria-label="Verdict">
                <div class="grow">
                    <h1><span class={c.verdict === 'worse' ? 'trouble' : ''}>{headline(c, first)}</span> <span class="interval">{c.verdict === 'refused' ? '' : interval(first?.interval)}</span>{c.because && judged ? `, because ${c.because}` : ''}</h1>
                    <p>{c.not_alike.length ? <b class="trouble">Not alike: {c.not_alike.join(', ')}. </b> : 'Same machine, ONNX Runtime and model. '}
                        {differs.length ? <>They differ in {differs.slice(0, 3).map((d, i) => <>{i ? ', ' : ''}<code>{d.what}</code>{d.before !== undefined || d.after !== undefined ? ` (${said(d.unit, d.before)} → ${said(d.unit, d.after)})` : ''}</>)}{differs.length > 3 ? ` and ${differs.length - 3} more` : ''}.</> : null}
                        {c.because && !judged ? ` ${c.because[0].toUpperCase()}${c.because.slice(1)}.` : ''}{c.advice ? ` What would help: ${c.advice}.` : ''}
                        {c.least ? ` A change of ${f.share(c.least)} matters.` : ''}{several ? (runs?.in_turns ? ' The runs were made in turns.' : ' The runs were not made in turns.') : ''}</p>
                </div>
                <dl><Side name="before" colour="axis" id={c.before} runs={runs?.before} /><Side name="after" colour="ink" id={c.after} runs={runs?.after} /></dl>
            </section>
            <div class="cells three">
                <Panel fill title="Figures" note="change, and its interval where runs can tell">{figures.length ? <Forest figures={figures} /> : <Empty><p>Nothing that both runs have can be compared.</p></Empty>}</Panel>
                <Panel fill title="Latency" note={<><span class="key"><Swatch colour="bg-3" kind="edge" />before</span><span class="key"><Swatch colour="ink" kind="line" />after</span></>}>
                    {before.size && after.size ? <Overlaid before={before} after={after} worse={c.verdict === 'worse'} /> : <Empty><p>The latencies of one of the runs were not kept one by one.</p></Empty>}</Panel>
                <Panel fill title="Change at each percentile">{c.latency?.shift_us?.length ? <Shift shift={c.latency.shift_us} /> : <Empty><p>Too few inferences for percentiles of both.</p></Empty>}</Panel>
            </div>
            {several && <Panel fill kind="dots" title="Runs" note="each run's undisturbed time, in the order of their start"><Dots before={runs?.before ?? []} after={runs?.after ?? []} /></Panel>}
            <Changes list={c.operators} parts={c.change_us} />
        </>
    );
}

const changeOf = (o: CompareOperator) => o.change_us ?? (o.us?.after !== undefined && o.us.before !== undefined ? o.us.after - o.us.before : undefined);

const layerOf = (o: CompareOperator) => {
    const n = o.layer ?? /layers?[._](\d+)/.exec(o.name ?? '')?.[1];
    return n === undefined ? '' : `L${n} `;
};

/** Where the difference of a traced inference lies; the parts add up to it. */
function partsText(parts?: Comparison['change_us']): string {
    if (!parts) return '';
    const named = (['operators', 'placement', 'fusion', 'rest'] as const).filter(k => parts[k]).map(k => `${k} ${f.signed(parts[k], f.micros)}`);
    return `; ${f.signed(parts.whole, f.micros)} in a traced inference${named.length ? `: ${named.join(', ')}` : ''}`;
}

function Changes({ list, parts }: { list: CompareOperator[]; parts?: Comparison['change_us'] }) {
    const [find, search] = useState('');
    const rows = list.filter(o => !find || matches(o, find)).sort((a, b) => Math.abs(changeOf(b) ?? 0) - Math.abs(changeOf(a) ?? 0));
    const most = Math.max(1e-9, ...rows.slice(0, 100).map(o => Math.abs(changeOf(o) ?? 0)));
    const x = (v: number) => 50 + Math.max(-1, Math.min(1, v / most)) * 50;
    return (
        <Panel title="Operators" note={`${f.count(list.length)}, by what changed most${partsText(parts)}`} now={<input type="search" class="field low" placeholder="filter  /" aria-label="Filter operators" value={find} onInput={e => search(e.currentTarget.value)} />}>
            {rows.length === 0 ? <Empty><p>{list.length ? 'No operator has that in its name.' : 'Operators of one of the runs were not traced.'}</p></Empty> : <table class="operators changes">
                <thead><tr><th>operator</th><th>type</th><th class="r">before</th><th class="r">after</th><th class="r" aria-sort="descending">change ↓</th><th class="bars">−{f.micros(most)} … +{f.micros(most)}</th><th class="r">explains</th><th /></tr></thead>
                <tbody>{rows.slice(0, 100).map(o => {
                    const d = changeOf(o), t = tone(o.verdict), i = o.interval_us;
                    return (
                        <tr class={t}>
                            <td class="ell" data-tip={o.name}>{(o.layers?.length ?? 0) > 1 ? null : <span class="ink3">{layerOf(o)}</span>}{shortName(o)}{(o.layers?.length ?? 0) > 1 && <span class="ink3"> ×{o.layers!.length}</span>}</td><td class="ink2 ell">{o.op_type}</td>
                            <td class="r">{o.us?.before === undefined ? <Dash why="not in the run before" /> : f.micros(o.us.before)}</td><td class="r">{o.us?.after === undefined ? <Dash why="not in the run after" /> : f.micros(o.us.after)}</td>
                            <td class="r"><b>{d === undefined ? f.DASH : f.signed(d, f.micros)}</b></td>
                            <td><svg class="bar-cell" height="12" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true"><rect x="49.9" width=".3" height="12" class="fill-axis" />{d !== undefined && <rect class={t === 'worse' ? 'fill-trouble' : t === 'better' ? 'fill-ink' : 'fill-axis'} x={Math.min(50, x(d))} width={Math.abs(x(d) - 50)} y="2" height="8" />}{i && <rect class="fill-ink" x={x(i[0])} width={Math.max(0.3, x(i[1]) - x(i[0]))} y="5.5" height="1" />}</svg></td>
                            <td class="r">{o.explains !== undefined ? f.share(o.explains) : o.us?.ratio === undefined ? '' : f.change(o.us.ratio - 1)}</td><td>{o.verdict ? verdictWord(o.verdict) : ''}</td>
                        </tr>
                    );
                })}</tbody>
            </table>}
        </Panel>
    );
}
