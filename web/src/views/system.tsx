// system.tsx -- the machine, ONNX Runtime, the meter, and every source with its
// true rate, or why it is absent and what to do.

import * as f from '../core/format';
import { useGet, useRoute } from '../core/hooks';
import type { Report, Source, Sources, System } from '../core/types';
import { Dash, Failure, On, Skeleton } from '../parts/basic';
import { toast } from '../parts/toast';
import '../style/run.css';

const GROUPS: [string, RegExp][] = [
    ['Inference', /^(hook|operators|python|sections|etw)/], ['Process', /^(process|perf|threads?|sockets)/],
    ['Energy', /rapl|battery|meter|emi|powermetrics|energy|hwmon-power|model$/], ['Accelerators', /nvml|gpu|npu|xdna|dxgi|pdh/], ['Machine', /./],
];
const groupOf = (s: { name: string; group?: string }) =>
    s.group ? s.group[0].toUpperCase() + s.group.slice(1) : GROUPS.find(([, what]) => what.test(s.name))![0];

export function SystemView() {
    useRoute();
    return <main class="run"><SystemPanels /></main>;
}

export function SystemPanels({ run, report }: { run?: string; report?: Report }) {
    const system = useGet<System>('/api/system'), sources = useGet<Sources>('/api/sources');
    if (system.error) return <div class="pad"><Failure error={system.error} again={system.again} /></div>;
    if (!system.data || !sources.data) return sources.error ? <div class="pad"><Failure error={sources.error} again={sources.again} /></div> : <Skeleton />;
    const all = sources.data.sources, there = all.filter(s => s.available);
    const energy = all.filter(s => groupOf(s) === 'Energy'), has = energy.some(s => s.available);
    const host = report?.run.host ?? system.data.host;
    return (
        <>
            {!run && <section class="answer" aria-label="In short">
                <div class="who"><h1>Time, CPU and memory are measured. Energy is{has ? ', too' : ` not${host.virtualisation ? ': this is a virtual machine' : ''}`}.</h1>
                    <p class="ell">{there.length} of {all.length} sources answer, each at its own rate. What is absent is absent in every view: a dash with its reason, never 0.</p></div>
                <span class="s ink3">{sources.data.looked_ns ? `looked ${f.clock(sources.data.looked_ns / 1e6)}` : ''}{sources.data.took_ms ? `, took ${f.millis(sources.data.took_ms)}` : ''} <button class="btn" onClick={sources.again}>Look again</button></span>
            </section>}
            <div class="with-side">
                <aside class="side" aria-label="This machine"><Machine system={system.data} report={report} /></aside>
                <div class="scroll pad" tabIndex={0} role="region" aria-label="Sources"><SourceTable sources={sources.data} /></div>
            </div>
        </>
    );
}

function Rows({ title, rows }: { title: string; rows: [string, preact.ComponentChildren][] }) {
    return <section><h2>{title}</h2><dl>{rows.filter(r => r[1] !== undefined && r[1] !== '').map(([name, value]) => <><dt>{name}</dt><dd>{value}</dd></>)}</dl></section>;
}

function Machine({ system: s, report }: { system: System; report?: Report }) {
    const h = report?.run.host ?? s.host, cpu = h.cpu, ort = report?.run.ort ?? s.ort, o = report?.overhead;
    const bind = s.server.bind;
    return (
        <>
            <Rows title="Machine" rows={[
                ['name', `${h.hostname ?? ''}${h.virtualisation ? `, a virtual machine (${h.virtualisation})` : ''}`], ['system', [h.os_name, h.os_version, h.kernel, h.architecture].filter(Boolean).join(', ')],
                ['CPU', cpu ? `${(cpu.model ?? '').replace(/\((R|TM)\)/g, '')}, ${cpu.cores} cores, ${cpu.threads} threads` : <Dash why="not told" />],
                ['caches', (cpu?.caches ?? []).map(c => `L${c.level}${c.type === 'Data' ? 'd' : c.type === 'Instruction' ? 'i' : ''} ${f.bytes(c.total_bytes)}`).join(', ')],
                ['memory', h.memory?.total_bytes ? `${f.bytes(h.memory.total_bytes)}${h.memory.available_bytes ? `, ${f.bytes(h.memory.available_bytes)} available` : ''}` : <Dash why="not told" />],
                ['accelerators', h.accelerators?.length ? h.accelerators.map(a => a.name ?? a.kind).join(', ') : 'none found'],
            ]} />
            <Rows title="ONNX Runtime" rows={[
                ['version', ort?.version ?? <Dash why="none was found where the server runs" />], ['path', ort?.path],
                ['providers', (ort?.providers ?? []).map(p => <div><On provider={p} /></div>)],
                ['language', (ort as { language?: string } | undefined)?.language],
                ['options', report?.sessions?.map(x => Object.entries(x.options ?? {}).map(([k, v]) => `${k} ${String(v)}`).join(', ')).filter(Boolean).join('; ')],
            ]} />
            <Rows title="Meter" rows={[
                ['version', `ortmeter ${report?.run.ortmeter ?? s.ortmeter_version}`],
                ['costs', o?.hook_ns !== undefined ? `${f.nanos(o.hook_ns)} an inference${o.collector_core_share !== undefined ? `, ${f.share(o.collector_core_share)} of a core` : ''}${o.collector_peak_rss_bytes ? `, ${f.bytes(o.collector_peak_rss_bytes)}` : ''}` : undefined],
                ['lost', report?.lost_events !== undefined ? `${f.count(report.lost_events)} records` : undefined],
                ['serves', bind ? `${bind}${s.server.tls ? ', TLS' : ''}${s.server.token_required ? ', with a token' : ', no token needed to read'}` : undefined],
                ['database', s.server.encrypted === undefined ? undefined : s.server.encrypted ? 'encrypted' : 'not encrypted'],
                ['you are', s.you.role], ['API', <a href="/api/openapi.json" target="_blank" rel="noreferrer">openapi.json</a>],
            ]} />
        </>
    );
}

function SourceTable({ sources }: { sources: Sources }) {
    const groups = new Map<string, Source[]>(GROUPS.map(([name]) => [name, []]));
    for (const s of sources.sources) groups.set(groupOf(s), [...(groups.get(groupOf(s)) ?? []), s]);
    const sampler = (name: string) => sources.samplers.find(x => x.name === name);
    const copy = (text: string) => void navigator.clipboard.writeText(text).then(() => toast('Copied.'));
    return (
        <table class="sources">
            <thead><tr><th>source</th><th>tells</th><th class="r">asked</th><th class="r">true rate</th><th>how, or why not</th><th>what to do</th></tr></thead>
            {[...groups].filter(([, list]) => list.length).map(([name, list]) => {
                const there = list.filter(s => s.available).length;
                return (
                    <tbody>
                        <tr class="group"><th colSpan={6} scope="rowgroup"><b>{name}</b> {there ? `${there} of ${list.length}` : `none of ${list.length}`}</th></tr>
                        {list.map(s => {
                            const x = sampler(s.name), rate = x?.effective_hz ?? (x?.state === 'read' ? x.hz : undefined);
                            return (
                                <tr class={s.available ? '' : 'ink2'}>
                                    <td>{s.available ? '✓' : '–'} {s.name}</td>
                                    <td class="ell ink2" data-tip={s.gives}>{s.gives}</td>
                                    <td class="r">{x?.wanted_hz === undefined ? (s.available ? '' : <Dash why={s.reason} />) : f.hertz(x.wanted_hz)}</td>
                                    <td class="r"><b>{rate === undefined ? (s.available ? '' : <Dash why={s.reason} />) : `${x?.at_least ?? s.at_least ? '≥ ' : ''}${f.hertz(rate)}`}</b></td>
                                    <td class="ell" data-tip={s.reason ?? s.how ?? s.detail}>{s.available ? s.how ?? s.detail ?? '' : s.reason}</td>
                                    <td class="ell">{s.remedy && <button class="remedy" data-tip={`${s.remedy}\nclick to copy`} onClick={() => copy(s.remedy!)}>{s.remedy}</button>}</td>
                                </tr>
                            );
                        })}
                    </tbody>
                );
            })}
        </table>
    );
}

