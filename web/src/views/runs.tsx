// runs.tsx -- all runs: search, filters, sorting, tags, comparing, deleting.

import { useEffect, useState } from 'preact/hooks';
import { change, PROFILING } from '../core/api';
import * as f from '../core/format';
import { useGet, useRoute, useStore } from '../core/hooks';
import { go, href, params, withParams } from '../core/router';
import { store } from '../core/store';
import type { RunRow } from '../core/types';
import { Dash, Empty, Failure, Skeleton } from '../parts/basic';
import { toast } from '../parts/toast';
import '../style/run.css';

interface Runs { runs: RunRow[]; total: number; limit: number; offset: number }
const UNDO = 6; // seconds in which a deletion can be taken back
const PAGE = 100;
const FIGURES = 'inference_duration_p50_seconds';
const COLUMNS: [string, string, string?][] = [
    ['run', ''], ['started', '', 'date'], ['model, command', ''], ['tags', ''], ['host', ''], ['inferences', 'r'], ['p50', 'r'], ['length', 'r', 'duration'], ['memory', 'r'], ['energy', 'r', 'energy'], ['', 'r'],
];

const doomed = new Map<string, number>(); // runs whose deletion still can be taken back

export function RunsView() {
    useRoute();
    useStore(1);
    const p = params();
    const [text, type] = useState(p.q ?? '');
    const [marked, mark] = useState<string[]>([]);
    const [, render] = useState(0);
    const answer = useGet<Runs>(`${PROFILING}/runs`, {
        q: p.q, status: p.status, sort_by: p.sort, order: p.order, limit: PAGE, offset: p.offset, tags: p.tags, figures: FIGURES,
    });
    useEffect(() => {
        const timer = setTimeout(() => go(withParams({ q: text || undefined, offset: undefined }), 'replace'), 200);
        return () => clearTimeout(timer);
    }, [text]);
    useEffect(() => answer.again(), [store.shown.runs.length]);

    const remove = (run: RunRow) => {
        const timer = window.setTimeout(() => {
            change('DELETE', `${PROFILING}/run/${run.run_id}`).catch(e => toast(e.message)).finally(() => {
                doomed.delete(run.run_id);
                answer.again();
            });
        }, UNDO * 1000);
        doomed.set(run.run_id, timer);
        toast(`Run ${run.run_id.slice(0, 8)} is deleted.`, 'Undo', () => {
            clearTimeout(timer);
            doomed.delete(run.run_id);
            render(n => n + 1);
        }, UNDO);
        render(n => n + 1);
    };
    const rows = (answer.data?.runs ?? []).filter(r => !doomed.has(r.run_id));
    const toggle = (id: string) => mark(marked.includes(id) ? marked.filter(m => m !== id) : [...marked, id].slice(-2));
    return (
        <main class="runs">
            <div class="sub">
                <h1>Runs</h1>
                <span class="ink3 s">{answer.data ? `${f.count(answer.data.total)} that match` : ''}</span>
                <input type="search" class="field" placeholder="id, command, model, tag  /" aria-label="Search runs" value={text} onInput={e => type(e.currentTarget.value)} />
                <select class="field" aria-label="State" value={p.status ?? ''} onChange={e => go(withParams({ status: e.currentTarget.value || undefined }), 'replace')}>
                    <option value="">any state</option>{['running', 'complete', 'interrupted', 'failed'].map(s => <option>{s}</option>)}
                </select>
                <span class="grow" />
                <a class="btn" aria-disabled={marked.length < 2} href={marked.length === 2 ? href({ view: 'compare', a: older(rows, marked)[0], b: older(rows, marked)[1] }) : href({ view: 'compare' })}>Compare {marked.length === 2 ? 'the two' : 'two runs'}</a>
            </div>
            {answer.error ? <div class="pad"><Failure error={answer.error} again={answer.again} /></div> : !answer.data ? <Skeleton /> : rows.length === 0 ? <Nothing filtered={!!(p.q || p.status || p.tags)} /> : (
                <div class="scroll pad" tabIndex={0} role="region" aria-label="Runs">
                    <table class="wide-rows">
                        <thead><tr><th><span class="vh">compare</span></th>{COLUMNS.map(([name, cls, sort]) => <th class={cls} aria-sort={sort && (p.sort ?? 'date') === sort ? (p.order === 'asc' ? 'ascending' : 'descending') : undefined}>
                            {sort ? <button class="bare-button" onClick={() => go(withParams({ sort, order: (p.sort ?? 'date') === sort && p.order !== 'asc' ? 'asc' : undefined }), 'replace')}>{name}{(p.sort ?? 'date') === sort ? (p.order === 'asc' ? ' ↑' : ' ↓') : ''}</button> : name}
                        </th>)}</tr></thead>
                        <tbody>{rows.map(r => <Row key={r.run_id} run={r} marked={marked.includes(r.run_id)} toggle={() => toggle(r.run_id)} remove={() => remove(r)} changed={answer.again} />)}</tbody>
                    </table>
                    {answer.data.total > PAGE && <p class="pad s">{Number(p.offset ?? 0) > 0 && <a href={withParams({ offset: String(Math.max(0, Number(p.offset) - PAGE)) })}>newer</a>} {Number(p.offset ?? 0) + PAGE < answer.data.total && <a href={withParams({ offset: String(Number(p.offset ?? 0) + PAGE) })}>older</a>}</p>}
                </div>
            )}
        </main>
    );
}

const older = (rows: RunRow[], ids: string[]) =>
    [...ids].sort((a, b) => (rows.find(r => r.run_id === a)?.timestamp ?? '').localeCompare(rows.find(r => r.run_id === b)?.timestamp ?? ''));

function Nothing({ filtered }: { filtered: boolean }) {
    return <div class="pad"><Empty>{filtered ? <p>No run matches. <a href={href({ view: 'runs' })}>All runs</a></p> : <><b>No run is recorded yet.</b><p><code>ortmeter run -- node your_app.js</code></p></>}</Empty></div>;
}

function Row({ run: r, marked, toggle, remove, changed }: { run: RunRow; marked: boolean; toggle: () => void; remove: () => void; changed: () => void }) {
    const running = r.status === 'running', p50 = r.figures?.inference_duration_p50_seconds;
    const length = r.duration_ns !== undefined ? r.duration_ns / 1e9 : r.total_duration_ms !== undefined ? r.total_duration_ms / 1e3 : undefined;
    return (
        <tr>
            <td><input type="checkbox" aria-label={`compare ${r.run_id.slice(0, 8)}`} checked={marked} onChange={toggle} /></td>
            <td><a href={href(running ? { run: r.run_id } : { view: 'run', run: r.run_id })}>{r.run_id.slice(0, 8)}</a></td>
            <td class="ink2">{f.date(Date.parse(r.timestamp))}</td>
            <td class="ell grow-cell"><b>{r.model_name ?? r.models?.[0] ?? 'no model'}</b> <span class="ink3">{r.command}</span></td>
            <td><Tags run={r} changed={changed} /></td>
            <td class="ink2">{r.host_name ?? <Dash why="the run does not tell its host" />}</td>
            <td class="r">{r.failed ? <span class="trouble">{f.count(r.failed)} of </span> : null}{f.count(r.inferences)}</td>
            <td class="r">{p50 === undefined ? <Dash why="no latency was stored with the run" /> : f.time(p50)}</td>
            <td class="r">{running ? <span class="tag">running</span> : length === undefined ? <Dash why="the run was interrupted" /> : f.time(length)}</td>
            <td class="r">{r.peak_rss_bytes === undefined ? <Dash why="the program's memory was not read" /> : f.bytes(r.peak_rss_bytes)}</td>
            <td class="r">{r.total_energy_mj === undefined ? <Dash why="no source of energy answered" /> : <span data-tip={r.energy_method}>{f.joules(r.total_energy_mj / 1e3)}</span>}</td>
            <td class="r">{store.role === 'admin' && !running && <button class="btn low bare" aria-label={`delete ${r.run_id.slice(0, 8)}`} onClick={remove}>delete</button>}</td>
        </tr>
    );
}

/** Tags as words; who may, edits them in place. */
function Tags({ run, changed }: { run: RunRow; changed: () => void }) {
    const [text, edit] = useState<string | undefined>();
    if (text !== undefined) {
        const done = () => {
            edit(undefined);
            if (text !== (run.tags ?? '')) change('PATCH', `${PROFILING}/run/${run.run_id}`, { tags: text }).then(changed, e => toast(e.message));
        };
        return <input class="field low" aria-label="Tags" autofocus value={text} ref={el => el?.focus()} onInput={e => edit(e.currentTarget.value)} onBlur={done} onKeyDown={e => e.key === 'Enter' && done()} />;
    }
    return (
        <span class="tags">{(run.tags ?? '').split(',').filter(Boolean).map(t => <a class="tag plain" href={withParams({ tags: t })}>{t}</a>)}
            {store.role !== 'viewer' && <button class="bare-button ink3" aria-label={`tags of ${run.run_id.slice(0, 8)}`} onClick={() => edit(run.tags ?? '')}>+</button>}
        </span>
    );
}
