// run_energy.tsx -- where the joules went, and an account that adds up.

import { Sankey, type Flow } from '../charts/sankey';
import { TimeChart } from '../charts/time_chart';
import * as f from '../core/format';
import { href } from '../core/router';
import type { Energy, Joules, Report } from '../core/types';
import { Dash, Empty, Method, Panel } from '../parts/basic';
import type { RunData } from './run';

const WORK: Record<string, string> = { loading: 'loading', operators: 'operators', inferences_without_operators: 'runtime', outside: 'unattributed', tracing: 'tracing' };

/** The server's flows, else those that the account holds: nothing is made up. */
export function flowsOf(e: Energy): Flow[] {
    if (e.flows?.length) return e.flows;
    const a = e.account;
    if (!a) return [];
    const source = 'all sensors', method = e.status === 'modelled' ? 'modelled' : 'apportioned';
    const out: Flow[] = [
        { from: source, to: 'idle', joules: a.idle_j, method: e.status }, { from: source, to: 'other programs', joules: a.other_processes_j, method },
        { from: source, to: 'unattributed', joules: a.unattributed_j, method }, { from: source, to: 'the program', joules: a.attributed_j, method },
    ];
    for (const [name, j] of Object.entries(e.work ?? {}))
        if (name !== 'outside' && j.net_j) out.push({ from: 'the program', to: WORK[name] ?? name, joules: j.net_j, method: j.method });
    return out.filter(x => x.joules > 0);
}

export function EnergyTab({ data }: { data: RunData }) {
    const e = data.report.energy;
    if (!e || e.total_j === undefined) return <NoEnergy energy={e} run={data.id} />;
    return (
        <>
            <PowerPanel energy={e} duration={data.report.run.duration_s ?? 0} />
            <Panel title="Where the joules went" note={e.flows?.length ? 'source → phase → component' : 'source → for whom → for what'}>
                <Sankey flows={flowsOf(e)} />
            </Panel>
            <div class="cells two">
                <AccountTable energy={e} />
                <Means energy={e} report={data.report} />
            </div>
        </>
    );
}

function NoEnergy({ energy, run }: { energy?: Energy; run: string }) {
    return (
        <div class="pad"><Empty>
            <b>No energy was measured.</b>
            <p>Each source, and why it did not answer:</p>
            <table class="reasons"><tbody>{(energy?.reasons ?? []).map(r => <tr><td>{r.source}</td><td class="ink2">{r.reason}</td></tr>)}</tbody></table>
            <p>An estimate, between a third and three times of the truth: <code>ortmeter run --energy model -- …</code></p>
            <p><a href={href({ view: 'run', run, tab: 'system' })}>what this machine can measure</a></p>
        </Empty></div>
    );
}

function PowerPanel({ energy: e, duration }: { energy: Energy; duration: number }) {
    const p = e.power ?? [];
    if (p.length < 2) return null;
    return (
        <Panel fill kind="power" title="Power" note={<Method method={e.status} />} now={<span>mean <b>{f.watts(e.mean_w)}</b>, most {f.watts(e.peak_w)}</span>}>
            <TimeChart label={`Power over the run, mean ${f.watts(e.mean_w)}`} lines={[{ label: 'power', colour: 'cpu', method: e.status, steps: true }]}
                data={() => [p.map(x => x.time_s), p.map(x => x.watts)]} range={() => [0, Math.max(duration, p.at(-1)!.time_s)]} format={v => f.watts(v)} axis={v => f.tick(f.time(v))} />
        </Panel>
    );
}

function AccountTable({ energy: e }: { energy: Energy }) {
    const a = e.account, total = a?.total_j ?? e.total_j!;
    const rows: [string, number | undefined, string | undefined, string][] = a ? [
        ['idle', a.idle_j, e.status, 'what the machine draws with nothing to do'], ['other programs', a.other_processes_j, 'apportioned', a.shared_by ? `by their ${a.shared_by} time` : ''],
        ...Object.entries(e.work ?? {}).filter(([n]) => n !== 'outside').map(([n, j]) => [WORK[n] ?? n, j.net_j, j.method, j.count ? `${f.count(j.count)} of them` : ''] as [string, number | undefined, string | undefined, string]),
        ['unattributed', a.unattributed_j, 'apportioned', 'of the program, outside of all of it'],
    ] : [];
    return (
        <Panel title="The account" note="all that was drawn, each joule once">
            <table>
                <thead><tr><th>what</th><th class="r">joules</th><th class="r">share</th><th>known how</th><th /></tr></thead>
                <tbody>{rows.map(([name, j, method, how]) => <tr><td>{name}</td><td class="r"><b>{j === undefined ? f.DASH : `${j.toFixed(j < 1 ? 4 : 2)}${f.NARROW}J`}</b></td><td class="r">{f.share(j === undefined ? undefined : j / total)}</td><td><Method method={e.status === 'modelled' ? 'modelled' : method} /></td><td class="ink3 ell">{how}</td></tr>)}</tbody>
                <tfoot><tr><td>{a?.adds_up ? 'adds up ✓' : 'does not add up'}</td><td class="r">{total.toFixed(2)}{f.NARROW}J</td><td class="r">100{f.NARROW}%</td><td colSpan={2} class="ink2">{beside(e)}</td></tr></tfoot>
            </table>
            {e.bounds && <p class="s ink2">An estimate: somewhere between {f.joules(e.bounds.low_j)} and {f.joules(e.bounds.high_j)}{e.bounds.basis ? ` (${e.bounds.basis})` : ''}.</p>}
        </Panel>
    );
}

function beside(e: Energy): string {
    const list = (e.sensors ?? []).filter(s => s.role === 'beside' || s.role === 'inside').map(s => `${s.name}${s.total_j ?? s.joules ? ` ${f.joules(s.total_j ?? s.joules)}` : ''}`);
    return list.length ? `Not added, since they lie in others: ${list.join('; ')}.` : '';
}

function Means({ energy: e, report }: { energy: Energy; report: Report }) {
    const phases = Object.entries(e.phases ?? {});
    const row = (name: string, text: string, method?: string) => <tr><td>{name}</td><td class="r"><b>{text === f.DASH ? <Dash why="not known for this run" /> : text}</b></td><td>{method && <Method method={method} />}</td></tr>;
    const each = (name: string, j?: Joules) => j && <>{row(`${name}, gross`, f.joules(j.gross_j), j.method)}{row(`${name}, net`, f.joules(j.net_j), j.method)}</>;
    return (
        <Panel title="What it means">
            <table><tbody>
                {each(report.tokens?.count ? 'a token' : 'an inference', report.tokens?.count ? e.per_token : e.per_inference)}
                {phases.map(([name, j]) => row(`${name}, ${f.count(j.count)} ${j.count === 1 ? 'inference' : 'inferences'}`, f.joules(j.gross_j), j.method))}
                {row('the program, net', f.joules(e.net_j), e.status)}
                {row('mean power', f.watts(e.mean_w), e.status)}
                {row('most power', f.watts(e.peak_w), e.status)}
                {e.inferences_per_s_per_w !== undefined && row('inferences a joule', f.number(e.inferences_per_s_per_w), e.status)}
                {e.carbon && row(`CO₂${e.carbon.region ? `, ${e.carbon.region}` : ''}`, f.grams(e.carbon.grams ?? e.carbon.gco2), 'modelled')}
            </tbody></table>
        </Panel>
    );
}
