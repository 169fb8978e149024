// compare.tsx -- two runs: the verdict first, then what it is made of.

import { useState } from 'preact/hooks';
import { Forest, interval, Overlaid, Shift, tone, verdictWord } from '../charts/comparison';
import { PROFILING } from '../core/api';
import { addPairs, type Buckets } from '../core/buckets';
import * as f from '../core/format';
import { useGet, useRoute, useTheme } from '../core/hooks';
import { go, href, params, withParams } from '../core/router';
import type { CompareOperator, Comparison, Figure, RunRow } from '../core/types';
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
            {!there && value && <option value={value}>{value.slice(0, 8)}</option>}
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

function headline(c: Comparison): string {
    const change = c.median_us?.ratio === undefined ? '' : `: ${f.change(c.median_us.ratio - 1)}`;
    switch (c.verdict) {
    case 'worse': return `Worse${change}`;
    case 'better': return `Better${change}`;
    case 'same': return `The same${change}`;
    case 'refused': return 'Not comparable';
    default: return `Cannot tell${change}`;
    }
}

function Result({ c }: { c: Comparison }) {
    const range = c.median_ratio_interval ? c.median_ratio_interval.map(v => v - 1) as [number, number] : undefined;
    const before = buckets(c.latency?.before), after = buckets(c.latency?.after), figures = figuresOf(c);
    const differs = c.differs ?? [];
    return (
        <>
            <section class="verdict" aria-label="Verdict">
                <div class="grow">
                    <h1><span class={c.verdict === 'worse' ? 'trouble' : ''}>{headline(c)}</span> <span class="interval">{interval(range)}</span>{c.because && (c.verdict === 'worse' || c.verdict === 'better') ? `, because ${c.because}` : ''}</h1>
                    <p>{c.not_alike.length ? <b class="trouble">Not alike: {c.not_alike.join(', ')}. </b> : 'Same machine, ONNX Runtime and model. '}
                        {differs.length ? <>They differ in {differs.slice(0, 3).map((d, i) => <>{i ? ', ' : ''}<code>{d.what}</code>{d.before !== undefined || d.after !== undefined ? ` (${d.before ?? 'unset'} → ${d.after ?? 'unset'})` : ''}</>)}{differs.length > 3 ? ` and ${differs.length - 3} more` : ''}.</> : null}
                        {c.because && c.verdict !== 'worse' && c.verdict !== 'better' ? ` ${c.because[0].toUpperCase()}${c.because.slice(1)}.` : ''}</p>
                </div>
                <dl><dt><Swatch colour="axis" />before</dt><dd><a href={href({ view: 'run', run: c.before })}>{c.before.slice(0, 8)}</a></dd><dt><Swatch colour="ink" />after</dt><dd><a href={href({ view: 'run', run: c.after })}>{c.after.slice(0, 8)}</a></dd></dl>
            </section>
            <div class="cells three">
                <Panel fill title="Figures" note="change, 95 % interval where there is one">{figures.length ? <Forest figures={figures} /> : <Empty><p>Nothing that both runs have can be compared.</p></Empty>}</Panel>
                <Panel fill title="Latency" note={<><span class="key"><Swatch colour="bg-3" kind="edge" />before</span><span class="key"><Swatch colour="ink" kind="line" />after</span></>}>
                    {before.size && after.size ? <Overlaid before={before} after={after} worse={c.verdict === 'worse'} /> : <Empty><p>The latencies of one of the runs were not kept one by one.</p></Empty>}</Panel>
                <Panel fill title="Change at each percentile">{c.latency?.shift_us?.length ? <Shift shift={c.latency.shift_us} /> : <Empty><p>Too few inferences for percentiles of both.</p></Empty>}</Panel>
            </div>
            <Changes list={c.operators} />
        </>
    );
}

const changeOf = (o: CompareOperator) => o.change_us ?? (o.us?.after !== undefined && o.us.before !== undefined ? o.us.after - o.us.before : undefined);

const layerOf = (o: CompareOperator) => {
    const n = o.layer ?? /layers?[._](\d+)/.exec(o.name ?? '')?.[1];
    return n === undefined ? '' : `L${n} `;
};

function Changes({ list }: { list: CompareOperator[] }) {
    const [find, search] = useState('');
    const rows = list.filter(o => !find || matches(o, find)).sort((a, b) => Math.abs(changeOf(b) ?? 0) - Math.abs(changeOf(a) ?? 0));
    const most = Math.max(1e-9, ...rows.slice(0, 100).map(o => Math.abs(changeOf(o) ?? 0)));
    const x = (v: number) => 50 + Math.max(-1, Math.min(1, v / most)) * 50;
    return (
        <Panel title="Operators" note={`${f.count(list.length)}, by what changed most`} now={<input type="search" class="field low" placeholder="filter  /" aria-label="Filter operators" value={find} onInput={e => search(e.currentTarget.value)} />}>
            {rows.length === 0 ? <Empty><p>{list.length ? 'No operator has that in its name.' : 'Operators of one of the runs were not traced.'}</p></Empty> : <table class="operators changes">
                <thead><tr><th>operator</th><th>type</th><th class="r">before</th><th class="r">after</th><th class="r" aria-sort="descending">change ↓</th><th class="bars">−{f.micros(most)} … +{f.micros(most)}</th><th class="r" /><th /></tr></thead>
                <tbody>{rows.slice(0, 100).map(o => {
                    const d = changeOf(o), t = tone(o.verdict), i = o.interval_us;
                    return (
                        <tr class={t}>
                            <td class="ell" data-tip={o.name}>{(o.layers?.length ?? 0) > 1 ? null : <span class="ink3">{layerOf(o)}</span>}{shortName(o)}{(o.layers?.length ?? 0) > 1 && <span class="ink3"> ×{o.layers!.length}</span>}</td><td class="ink2 ell">{o.op_type}</td>
                            <td class="r">{o.us?.before === undefined ? <Dash why="not in the run before" /> : f.micros(o.us.before)}</td><td class="r">{o.us?.after === undefined ? <Dash why="not in the run after" /> : f.micros(o.us.after)}</td>
                            <td class="r"><b>{d === undefined ? f.DASH : f.signed(d, f.micros)}</b></td>
                            <td><svg class="bar-cell" height="12" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true"><rect x="49.9" width=".3" height="12" class="fill-axis" />{d !== undefined && <rect class={t === 'worse' ? 'fill-trouble' : t === 'better' ? 'fill-ink' : 'fill-axis'} x={Math.min(50, x(d))} width={Math.abs(x(d) - 50)} y="2" height="8" />}{i && <rect class="fill-ink" x={x(i[0])} width={Math.max(0.3, x(i[1]) - x(i[0]))} y="5.5" height="1" />}</svg></td>
                            <td class="r">{o.us?.ratio === undefined ? '' : f.change(o.us.ratio - 1)}</td><td>{o.verdict ? verdictWord(o.verdict) : ''}</td>
                        </tr>
                    );
                })}</tbody>
            </table>}
        </Panel>
    );
}
