// session_table.tsx -- every session of every program, and what it does now.

import { useState } from 'preact/hooks';
import * as f from '../core/format';
import * as live from '../core/live';
import { go, href, withParams } from '../core/router';
import { store, type Shown } from '../core/store';
import type { Session } from '../core/types';
import { Dash, Empty, On, Panel } from './basic';

export function SessionTable({ shown }: { shown: Shown }) {
    const [find, search] = useState('');
    const { grid, sessions, processes } = shown;
    const picked = live.chosen(shown);
    const fits = (s: Session) => !find || `${s.model} ${s.providers.join(' ')}`.toLowerCase().includes(find.toLowerCase());
    const groups = new Map<string, Session[]>();
    for (const s of sessions.filter(fits)) {
        const key = `${s.run_id}/${s.process}`;
        groups.set(key, [...(groups.get(key) ?? []), s]);
    }
    const choose = (s: Session) => {
        go(withParams({ session: s.session_id ?? String(s.id), run: undefined, phase: undefined }), 'replace');
        store.changed();
    };
    return (
        <Panel title="Sessions" kind="ses" note={sessions.length ? `${sessions.length} in ${processes.length || groups.size} process${(processes.length || groups.size) === 1 ? '' : 'es'}, last ${f.age(grid.window)}` : undefined}
            now={<input type="search" class="field low opt" placeholder="filter" aria-label="Filter sessions" value={find} onInput={e => search(e.currentTarget.value)} />}>
            {sessions.length === 0 ? <Empty><p>No session was made yet: the program has loaded no model.</p></Empty> : (
                <table class="sessions">
                    <thead><tr><th>process, model</th><th>on</th><th class="r">rate</th><th class="r">p50</th><th class="r">p99</th><th class="r opt">busy</th><th class="r opt">load</th></tr></thead>
                    <tbody>{[...groups].map(([key, list]) => <Group key={key} shown={shown} list={list} picked={picked} choose={choose} />)}</tbody>
                </table>
            )}
            <Slowest shown={shown} />
        </Panel>
    );
}

function Group({ shown, list, picked, choose }: { shown: Shown; list: Session[]; picked?: Session; choose: (s: Session) => void }) {
    const { grid } = shown, s0 = list[0];
    const process = shown.processes.find(p => p.run_id === s0.run_id && p.id === s0.process);
    const pid = process?.pid ?? s0.pid, labels = { pid: pid === undefined ? undefined : String(pid) };
    const cores = pid === undefined ? undefined : grid.latest(grid.find('process_cpu_cores', labels)[0]);
    const rss = pid === undefined ? undefined : grid.latest(grid.find('process_resident_bytes', labels)[0]);
    return (
        <>
            <tr class="proc"><td class="ell"><b>{process?.program ?? 'program'}</b> {pid}</td><td /><td class="r" colSpan={5}>{[cores === undefined ? '' : `${f.cores(cores)} cores`, rss === undefined ? '' : f.bytes(rss)].filter(Boolean).join(', ')}</td></tr>
            {list.map(s => {
                const rate = grid.mean(live.sessionSeries(shown, 'inferences_total', s));
                const p = live.percentiles(grid, live.latencySeries(shown, s));
                const busy = grid.mean(live.sessionSeries(shown, 'session_busy_seconds_total', s));
                return (
                    <tr key={s.id} aria-selected={s === picked} class="pick" onClick={() => choose(s)}>
                        <td class="ell m"><button class="bare-button" onClick={() => choose(s)}>{s.model ?? `session ${s.id}`}</button></td>
                        <td><On provider={s.provider ?? s.providers[0]} /></td>
                        <td class="r">{rate === undefined ? <Dash why="nothing was counted in this window" /> : f.perSecond(rate)}</td>
                        <td class="r">{p.values[0] === undefined ? <Dash why="no inference ended in this window" /> : f.time(p.values[0])}</td>
                        <td class="r">{p.values[3] === undefined ? <Dash why={`a p99 needs 100 inferences; ${p.count} ended`} /> : f.time(p.values[3])}</td>
                        <td class="r opt">{busy === undefined ? <Dash why="this run does not tell when a session is busy" /> : f.share(Math.min(1, busy))}</td>
                        <td class="r opt">{s.load_ms === undefined ? <Dash why="the session was there before we looked" /> : f.millis(s.load_ms)}</td>
                    </tr>
                );
            })}
        </>
    );
}

/** The worst of what is shown, and the way to it. */
function Slowest({ shown }: { shown: Shown }) {
    const slow = shown.events.filter(e => e.kind === 'slow' && e.duration_ms !== undefined).sort((a, b) => b.duration_ms! - a.duration_ms!)[0];
    if (!slow) return null;
    const cause = slow.causes?.[0]?.cause.replace(/_/g, ' ') ?? 'cause not seen';
    return (
        <p class="s ink2 ell slowest"><b>Slowest</b> {f.millis(slow.duration_ms)}, {f.age(Math.max(0, shown.grid.now - slow.timestamp_ns / 1e9))} ago, {cause}.{' '}
            <a href={href({ view: 'timeline', run: slow.run_id, inf: slow.inference === undefined ? undefined : String(slow.inference) })}>timeline</a></p>
    );
}
