// resources.tsx -- CPU, devices, memory, power: what the program takes now.

import { useCallback } from 'preact/hooks';
import { drawCores } from '../charts/cores';
import { backFrom, TimeChart } from '../charts/time_chart';
import { cursorTime, setCursor, useCursor } from '../core/cursor';
import * as f from '../core/format';
import type { Series } from '../core/grid';
import * as live from '../core/live';
import { href } from '../core/router';
import { store, type Shown } from '../core/store';
import { Canvas, Empty, Panel, reason, Swatch } from './basic';

const range = () => [store.shown.grid.from, store.shown.grid.now] as [number, number];
const splits = (a: number, b: number, count: number) => backFrom(store.shown.grid.now)(a, b, count);
const SHADES = ['ink', 'axis', 'cpu', 'gpu', 'npu', 'ink-3'];

function at(s: Series | undefined): number | undefined {
    const { grid } = store.shown, t = cursorTime();
    if (!s) return undefined;
    return t === null ? grid.latest(s) : grid.column(s)[grid.indexOf(t)] ?? undefined;
}
const sumAt = (list: Series[]) => list.reduce<number | undefined>((sum, s) => {
    const v = at(s);
    return v === undefined || s.gone ? sum : (sum ?? 0) + v;
}, undefined);

const PARTS = { cpu: Cpu, devices: Devices, memory: Memory, power: Power };

export function Resources({ shown, shows = () => true }: { shown: Shown; shows?: (group: string) => boolean }) {
    useCursor();
    const parts = Object.entries(PARTS).filter(([group]) => shows(group));
    return parts.length ? <div class="cells r3">{parts.map(([group, Part]) => <Part key={group} shown={shown} />)}</div> : null;
}

const byNumber = (a: Series, b: Series) => Number(a.labels.cpu) - Number(b.labels.cpu);

function Cpu({ shown }: { shown: Shown }) {
    const { grid } = shown;
    const cores = grid.find('core_busy_ratio').sort(byNumber), ours = grid.find('process_cpu_cores'), others = grid.find('others_cpu_cores');
    const draw = useCallback((canvas: HTMLCanvasElement) => {
        const g = store.shown.grid, list = g.find('core_busy_ratio').sort(byNumber), t = cursorTime();
        drawCores(canvas, {
            grid: g, cores: list, ours: live.summed(g, g.find('process_cpu_cores')), others: live.summed(g, g.find('others_cpu_cores')),
            total: Math.max(1, list.length), at: g.indexOf(t ?? g.now - g.step),
        });
    }, []);
    const now = sumAt(ours), rest = sumAt(others);
    return (
        <Panel fill title="CPU" now={ours.length ? <><Swatch colour="cpu" /><b>{f.cores(now)}</b> <span class="ink2">{cores.length ? `of ${cores.length}` : 'cores'}</span>{rest !== undefined && <span class="key"><Swatch colour="other" /><span class="ink2">others</span> {f.cores(rest)}</span>}</> : <span class="ink3">not told</span>}>
            {cores.length || ours.length
                ? <Canvas draw={draw} label={`CPU of each core; the program uses ${f.cores(now)} cores`} onMouseMove={e => hover(e)} onMouseLeave={() => setCursor(null)} />
                : <Empty><p>{reason(shown.missing, 'core_busy_ratio', 'process_cpu_cores') ?? 'No reading of the CPU came in this window.'}</p></Empty>}
        </Panel>
    );
}

function hover(e: MouseEvent) {
    const { grid } = store.shown, box = e.currentTarget as HTMLElement, left = 44;
    const share = (e.offsetX - left) / (box.clientWidth - left);
    setCursor(share >= 0 && share <= 1 ? grid.from + share * grid.window : null);
}

const deviceName = (s: Series) => s.labels.device ?? s.labels.name ?? 'device';
const isNpu = (s: Series) => /npu|xdna|vpu/i.test(`${s.labels.kind ?? ''} ${deviceName(s)}`);

function Devices({ shown }: { shown: Shown }) {
    const { grid } = shown, list = grid.find('device_utilization_ratio');
    if (!list.length) {
        const tried = shown.missing.filter(m => /nvml|amdgpu|intel-gpu|intel-npu|amd-npu|device_/.test(`${m.sampler ?? ''}${m.member ?? ''}${m.metric ?? ''}`)).slice(0, 5);
        return (
            <Panel title="GPU, NPU" kind="acc" now={<span class="ink3">none found</span>}>
                <Empty>
                    <p>No device answers. {asked(shown)}</p>
                    <dl>{tried.map(m => <><dt>{m.sampler ?? m.metric ?? m.member}</dt><dd class="ell" data-tip={m.reason}>{m.reason}</dd></>)}</dl>
                    <p><a href={href({ view: 'system' })}>what was looked for</a></p>
                </Empty>
            </Panel>
        );
    }
    return (
        <Panel fill title="GPU, NPU" kind="acc" now={list.slice(0, 2).map(s => <span> <Swatch colour={isNpu(s) ? 'npu' : 'gpu'} />{deviceName(s)} <b>{f.share(at(s))}</b></span>)}>
            <TimeChart live label="Use of each device" atLeast={1} format={v => `${Math.round(v * 100)} %`} range={range} splits={splits}
                lines={list.map(s => ({ label: deviceName(s), colour: isNpu(s) ? 'npu' : 'gpu', method: s.method }))}
                data={() => [store.shown.grid.times(), ...store.shown.grid.find('device_utilization_ratio').map(s => store.shown.grid.column(s))]} />
        </Panel>
    );
}

function asked(shown: Shown): string {
    const providers = new Set(shown.sessions.flatMap(s => s.providers.map(p => p.replace(/ExecutionProvider$/, ''))));
    if (!providers.size) return '';
    return `The ${shown.sessions.length === 1 ? 'session' : `${shown.sessions.length} sessions`} asked for ${[...providers].join(', ')}.`;
}

const programOf = (shown: Shown, s: Series) =>
    (shown.processes.find(p => String(p.pid) === s.labels.pid)?.program ?? s.labels.program ?? `pid ${s.labels.pid ?? ''}`).split(' ').slice(0, 2).map(w => w.slice(w.lastIndexOf('/') + 1)).join(' ');

function Memory({ shown }: { shown: Shown }) {
    const { grid } = shown, rss = grid.find('process_resident_bytes').filter(s => grid.latest(s) !== undefined);
    const arena = grid.find('session_arena_held_bytes'), device = grid.find('process_device_memory_bytes');
    const all = () => {
        const g = store.shown.grid;
        return [...g.find('process_resident_bytes').filter(s => g.latest(s) !== undefined), ...g.find('session_arena_held_bytes'), ...g.find('process_device_memory_bytes')];
    };
    if (!rss.length) return <Panel title="Memory" now={<span class="ink3">not told</span>}><Empty><p>{reason(shown.missing, 'process_resident_bytes') ?? 'No reading of the memory came in this window.'}</p></Empty></Panel>;
    return (
        <Panel fill title="Memory" note={<>{rss.length > 1 ? rss.slice(0, 2).map((s, i) => <span class="key"><Swatch colour={SHADES[i % 2]} kind="line" />{programOf(shown, s)} {f.bytes(at(s))}</span>) : 'resident'}{arena.length > 0 && <span class="key"><Swatch colour="cpu-2" kind="line" />arena {f.bytes(sumAt(arena))}</span>}</>} now={<><b>{f.bytes(sumAt(rss))}</b>{rss.length > 1 && <span class="ink2"> of {rss.length}</span>}</>}>
            <TimeChart live label={`Memory: ${f.bytes(sumAt(rss))} resident`} range={range} splits={splits} format={v => f.bytes(v)}
                lines={[...rss.map((s, i) => ({ label: programOf(shown, s), colour: SHADES[i % 2] })), ...arena.map(() => ({ label: 'arena', colour: 'cpu-2' })), ...device.map(() => ({ label: 'device', colour: 'gpu' }))]}
                data={() => [store.shown.grid.times(), ...all().map(s => store.shown.grid.column(s))]} />
        </Panel>
    );
}

const ZONES = ['cpu', 'ink-3', 'gpu', 'npu', 'axis'];
const zoneName = (s: Series) => s.labels.zone ?? s.labels.device ?? (s.metric.startsWith('battery') ? 'battery' : 'power');

function Power({ shown }: { shown: Shown }) {
    const { grid } = shown, zones = live.powerZones(grid);
    if (!zones.length)
        return (
            <Panel title="Power" kind="pow" now={<span class="ink3">no source</span>}>
                <Empty>
                    <p>{reason(shown.missing, 'zone_power_watts', 'zone_energy_joules_total', 'energy') ?? 'No power sensor answers on this machine.'} Power and joules stay — until one does:</p>
                    <dl><dt>estimate</dt><dd>run <code>--energy model</code>, ⅓× to 3×</dd><dt>a meter</dt><dd>run <code>--meter tcp:HOST:PORT</code></dd><dt>real sensors</dt><dd>run it on the host: RAPL, NVML</dd></dl>
                    <p><a href={href({ view: 'system' })}>each source, and why not</a></p>
                </Empty>
            </Panel>
        );
    const outer = zones.filter(s => !live.isWithin(s));
    return (
        <Panel fill title="Power" kind="pow" note={zones.slice(0, 3).map((s, i) => <span class="key"><Swatch colour={ZONES[i % 5]} kind="line" />{zoneName(s)}{live.isWithin(s) ? ', inside' : ''} {f.watts(at(s))}</span>)} now={<b data-tip={zones[0].method}>{f.watts(sumAt(outer))}</b>}>
            <TimeChart live label={`Power: ${f.watts(sumAt(outer))}`} range={range} splits={splits} format={v => f.watts(v)}
                lines={zones.map((s, i) => ({ label: zoneName(s), colour: ZONES[i % 5], method: s.method }))}
                data={() => [store.shown.grid.times(), ...live.powerZones(store.shown.grid).map(s => store.shown.grid.column(s))]} />
        </Panel>
    );
}
