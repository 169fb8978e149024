// run.tsx -- one recorded run: its answer, and the tab that the URL names.

import { useGet, useRoute } from '../core/hooks';
import { PROFILING } from '../core/api';
import * as f from '../core/format';
import { href, params } from '../core/router';
import type { Finding, Operators, Report, RunRow } from '../core/types';
import { Failure, Figure, Skeleton } from '../parts/basic';
import { RunBar } from '../parts/run_bar';
import { shortName } from '../parts/hot_operators';
import { EnergyTab } from './run_energy';
import { MemoryTab } from './run_memory';
import { OperatorsTab, SummaryTab } from './run_operators';
import { PlacementTab } from './run_placement';
import { RawTab } from './run_raw';
import { TokensTab } from './run_tokens';
import { SystemPanels } from './system';
import '../style/run.css';

export interface RunData { id: string; row?: RunRow; report: Report; operators?: Operators }

export function RunView() {
    useRoute();
    const { run = 'last', tab } = params();
    const row = useGet<{ run: RunRow }>(`${PROFILING}/run/${run}`, { parts: 'run' });
    const report = useGet<Report>('/api/report', { run });
    const findings = useGet<{ findings: Finding[] }>('/api/findings', { run });
    const failed = row.error ?? report.error;
    if (failed) return <main><RunBar run={row.data?.run} /><div class="pad"><Failure error={failed} again={() => { row.again(); report.again(); }} /></div></main>;
    if (!report.data) return <main><RunBar run={row.data?.run} /><Skeleton /></main>;
    const data: RunData = { id: report.data.run.id, row: row.data?.run, report: report.data, operators: { operators: report.data.ops ?? [], total: report.data.ops?.length ?? 0 } };
    return (
        <main class="run">
            <RunBar run={row.data?.run} />
            <Answer data={data} finding={findings.data?.findings[0]} />
            {tab === 'operators' ? <OperatorsTab data={data} /> : tab === 'tokens' ? <TokensTab data={data} />
                : tab === 'energy' ? <EnergyTab data={data} /> : tab === 'memory' ? <MemoryTab data={data} />
                : tab === 'placement' ? <PlacementTab data={data} /> : tab === 'raw' ? <RawTab data={data} />
                : tab === 'system' ? <SystemPanels run={data.id} report={data.report} /> : <SummaryTab data={data} />}
        </main>
    );
}

/** The headline: the server's finding, else where most of the time goes. */
function headline(data: RunData, finding?: Finding): [string, string] {
    if (finding) return [finding.text, finding.detail ?? ''];
    const list = [...(data.operators?.operators ?? [])].sort((a, b) => (b.share ?? 0) - (a.share ?? 0));
    const { report } = data, words = `${f.count(report.latency?.count)} inferences in ${f.time(report.run.duration_s)}`;
    if (!list.length) return [report.sessions[0]?.model ?? report.run.command ?? 'A run', `${words}; no operators were traced`];
    // Where a mean is far above its median, something else ran: medians are told.
    const byMedian = [...list].filter(o => o.median_us !== undefined).sort((a, b) => b.median_us! - a.median_us!);
    const sum = byMedian.reduce((a, o) => a + o.median_us!, 0), top = byMedian[0];
    if (!top || !sum) return [`${shortName(list[0])} takes ${f.share(list[0].share)} of the operators’ time.`, words];
    const where = top.layer === undefined ? '' : ` in layer ${top.layer}`;
    return [`${shortName(top)}${where} is the slowest operator: ${f.micros(top.median_us)}, ${f.share(top.median_us! / sum)} of the operators’ time.`, `by medians; ${words}. Without it an inference would take ${f.micros(top.median_us)} less.`];
}

function Answer({ data, finding }: { data: RunData; finding?: Finding }) {
    const { report: r } = data, [head, detail] = headline(data, finding);
    const decode = r.phases?.decode, traced = r.latency?.slowed_by_tracing ?? 0;
    const note = traced && traced === r.latency?.count ? 'with tracing' : traced ? `${f.count(traced)} traced` : undefined;
    const lat = decode ?? r.latency;
    return (
        <section class="answer" aria-label="In short">
            <div class="who"><h1 class="sentence">{head}</h1><p class="ell">{detail}{r.lost_events ? <span class="trouble"> {f.count(r.lost_events)} events were lost.</span> : null}</p></div>
            <div class="figs">
                {r.tokens?.ttft_ms !== undefined && <Figure label="first token" text={f.millis(r.tokens.ttft_p50_ms ?? r.tokens.ttft_ms)} change={note} />}
                <Figure label={decode ? 'a token, p50' : 'p50'} text={f.micros(lat?.p50_us)} change={note} why="no inference ended" />
                {r.tokens?.tokens_per_s !== undefined
                    ? <Figure label="tokens" text={f.number(r.tokens.tokens_per_s) + f.NARROW + '/s'} />
                    : <Figure label="inferences" text={r.throughput?.inferences_per_s === undefined ? f.DASH : f.number(r.throughput.inferences_per_s) + f.NARROW + '/s'} why="fewer than two inferences ended" />}
                <Figure label="memory, most" text={f.bytes(r.memory?.peak_rss_bytes)} why="the program's memory was not read" />
                <Figure label="CPU, mean" text={r.cpu?.mean_percent === undefined ? f.DASH : (r.cpu.mean_percent / 100).toFixed(2) + f.NARROW + 'cores'} why="the program's CPU time was not read" />
                {r.energy?.total_j === undefined
                    ? <Figure kind="energy" label="no energy source" href={href({ view: 'run', run: data.id, tab: 'energy' })} text={f.DASH} why={r.energy?.reasons?.[0]?.reason ?? 'no source of energy answered'} />
                    : <Figure kind="energy" label={r.tokens?.joules_per_token ? 'a token, gross' : 'in all'} text={f.joules(r.tokens?.joules_per_token ?? r.energy.total_j)} change={r.energy.status} href={href({ view: 'run', run: data.id, tab: 'energy' })} />}
            </div>
        </section>
    );
}
