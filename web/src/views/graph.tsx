// graph.tsx -- the model as it ran: folded by layer and component, coloured by
// what it cost.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { column, ordered, timeOf, type Column } from '../charts/fold';
import { boxAt, drawGraph, place, type Picture, type Placed } from '../charts/graph';
import { PROFILING } from '../core/api';
import * as f from '../core/format';
import { useGet, useKeys, useRoute, useSize, useTheme } from '../core/hooks';
import { go, href, params, withParams, type Params } from '../core/router';
import { heat } from '../core/theme';
import type { Graph, GraphNode, Operator, Report, RunRow } from '../core/types';
import { Empty, Failure, Skeleton, Swatch } from '../parts/basic';
import { matches, shortName } from '../parts/hot_operators';
import { OperatorPane } from '../parts/operator_pane';
import { RunBar } from '../parts/run_bar';
import { hideTip, showTip } from '../parts/tip';
import '../style/run.css';
import '../style/graph.css';

const COLOURS: Record<string, { name: string; value: (n: GraphNode) => number; unit: (v: number) => string }> = {
    time: { name: 'time', value: timeOf, unit: v => f.micros(v) },
    joules: { name: 'joules', value: n => n.joules ?? 0, unit: v => f.joules(v) },
    flops: { name: 'FLOPs', value: n => n.flops ?? 0, unit: v => f.flops(v) },
    bytes: { name: 'bytes out', value: n => n.output_bytes ?? 0, unit: v => f.bytes(v) },
};

export function GraphView() {
    useRoute();
    const p = params(), run = p.run ?? 'last';
    const row = useGet<{ run: RunRow }>(`${PROFILING}/run/${run}`, { parts: 'run' });
    const answer = useGet<Graph>('/api/graph', { run, session: p.session, phase: p.phase }), report = useGet<Report>('/api/report', { run });
    useMemo(() => answer.data && report.data && markFused(answer.data, report.data), [answer.data, report.data]);
    const [find, search] = useState(p.find ?? '');
    return (
        <main class="graph">
            <RunBar run={row.data?.run}><input type="search" class="field" placeholder="find nodes  /" aria-label="Find nodes" value={find} onInput={e => search(e.currentTarget.value)} /></RunBar>
            {answer.error ? <div class="pad"><Failure error={answer.error} again={answer.again} /></div> : !answer.data ? <Skeleton />
                : answer.data.nodes.length ? <Model graph={answer.data} find={find} />
                : <div class="pad"><Empty><b>No graph.</b><p>{answer.data.missing?.[0]?.reason ?? 'No operators were traced in this run.'} <code>ortmeter run --ops all -- …</code></p></Empty></div>}
        </main>
    );
}

function Model({ graph, find }: { graph: Graph; find: string }) {
    useTheme();
    const p = params(), colour = COLOURS[p.colour ?? 'time'] ?? COLOURS.time, op = p.op === undefined ? undefined : Number(p.op);
    const [ref, width] = useSize<HTMLDivElement>(), canvas = useRef<HTMLCanvasElement>(null), [hover, setHover] = useState<Placed>();
    const order = useMemo(() => ordered(graph), [graph]);
    const wayOf = (q: Params) => (q.at ? q.at.split('/').map(decodeURIComponent) : q.op !== undefined ? wayTo(graph, order, Number(q.op)) : firstOpen(graph, order));
    const open = wayOf(p);
    const columns = useMemo(() => openColumns(graph, order, open), [graph, order, open.join('/')]);
    const shown = width < 640 ? columns.slice(-1) : columns.slice(-3), skipped = columns.length - shown.length;
    const total = useMemo(() => graph.nodes.reduce((s, n) => s + colour.value(n), 0), [graph, colour]);
    const layout = useMemo(() => place(shown, Math.max(200, width)), [columns, width]);
    const found = find ? new Set(graph.nodes.filter(n => matches(n as Operator, find)).map(n => n.id)) : undefined;
    const picture: Picture = { columns: shown, ...layout, width, value: colour.value, total, unit: colour.unit, open: open.slice(skipped), selected: op, hover, found };
    useEffect(() => {
        if (!canvas.current || !width) return;
        canvas.current.style.height = `${Math.max(480, layout.height)}px`;
        drawGraph(canvas.current, picture);
    });
    const act = (x: Placed) => {
        const { box } = x;
        if (box.node) return go(withParams({ op: String(box.node.id), at: open.map(encodeURIComponent).join('/') || undefined }));
        const way = [...open.slice(0, x.column + skipped), box.key];
        go(withParams({ at: way.map(encodeURIComponent).join('/'), op: undefined }));
    };
    // A key may come before the picture of the last click is drawn: it works on the address.
    useKeys({ esc: () => {
        const now = params();
        go(withParams({ op: undefined, at: now.op === undefined ? wayOf(now).slice(0, -1).map(encodeURIComponent).join('/') || undefined : now.at }));
    } });
    const top = columns[0].boxes.slice().sort((a, b) => b.us - a.us)[0];
    const hottest = [...graph.nodes].sort((a, b) => colour.value(b) - colour.value(a));
    return (
        <>
            <div class="headline"><h1>{top.name} takes {f.share(total ? top.nodes.reduce((s, n) => s + colour.value(n), 0) / total : undefined)} of the operators’ {colour.name}.</h1>
                <span class="ink2 ell">{hottest[0] && `${hottest[0].op_type} ${shortName(hottest[0] as Operator)}${hottest[0].layer === undefined ? '' : ` in layer ${hottest[0].layer}`} alone: ${colour.unit(colour.value(hottest[0]))}, ${f.share(colour.value(hottest[0]) / (total || 1))}.`}</span>
                <span class="grow" />
                <label class="s ink3">colour <select class="field" value={p.colour ?? 'time'} onChange={e => go(withParams({ colour: e.currentTarget.value === 'time' ? undefined : e.currentTarget.value }), 'replace')}>{Object.entries(COLOURS).map(([k, c]) => <option value={k}>{c.name}</option>)}</select></label>
            </div>
            <div class="with-pane">
                <div ref={ref} class="paper">
                    {skipped > 0 && <p class="crumbs s"><a href={withParams({ at: open.slice(0, -1).map(encodeURIComponent).join('/') || undefined, op: undefined })}>← {columns[skipped - 1].title}</a></p>}
                    <canvas ref={canvas} role="img" aria-label={`The graph of ${graph.model ?? 'the model'}: ${f.count(graph.nodes.length)} nodes`}
                        onClick={e => {
                            const hit = boxAt(picture, e.offsetX, e.offsetY);
                            if (hit) act(hit);
                        }}
                        onMouseMove={e => {
                            const hit = boxAt(picture, e.offsetX, e.offsetY);
                            setHover(hit);
                            (e.currentTarget as HTMLElement).style.cursor = hit ? 'pointer' : 'default';
                            showTip(e, hit ? about(hit, colour.unit(hit.box.nodes.reduce((s, n) => s + colour.value(n), 0))) : null);
                        }} onMouseLeave={() => { setHover(undefined); hideTip(); }} />
                    <nav class="vh-focus" aria-label="Boxes of the graph">{layout.placed.map(x => <button onClick={() => act(x)} onFocus={() => setHover(x)} onBlur={() => setHover(undefined)}>{x.box.name}, {colour.unit(x.box.nodes.reduce((s, n) => s + colour.value(n), 0))}</button>)}</nav>
                </div>
                <aside class="pane" aria-label="Details">{op !== undefined ? <Selected graph={graph} id={op} /> : <Overview graph={graph} hottest={hottest} colour={colour} total={total} />}</aside>
            </div>
            <Legend colour={colour.name} graph={graph} />
        </>
    );
}

/** The graph's answer names no origins: the report knows what fusion made. */
function markFused(graph: Graph, report: Report) {
    const made = new Map((report.fusion?.find(x => x.session === graph.session)?.groups ?? []).map(g => [g.name, g.nodes]));
    for (const n of graph.nodes)
        if (!n.origin && made.has(n.name ?? '')) Object.assign(n, { origin: 'fused', fused_from: made.get(n.name!) });
}

function about(x: Placed, amount: string): string[] {
    const n = x.box.node;
    if (!n) return [x.box.name, `${f.count(x.box.nodes.length)} nodes, ${amount}`, 'click to open'];
    return [n.op_type ?? 'operator', n.name ?? '', amount, n.origin === 'fused' ? `fused of ${n.fused_from?.length ?? 'several'} nodes` : n.origin === 'inserted' ? 'put in by ONNX Runtime' : '', n.fallback ? 'fell back to the CPU' : ''];
}

function openColumns(graph: Graph, order: Map<number, number>, open: string[]): Column[] {
    const out = [column(graph, graph.nodes, order, [])];
    for (let i = 0; i < open.length; i++) {
        const b = out[i].boxes.find(x => x.key === open[i]);
        if (!b || b.node) break;
        out.push(column(graph, b.nodes, order, open.slice(0, i + 1)));
    }
    return out;
}

/** Opened at first: the box that costs most, and in it again. */
function firstOpen(graph: Graph, order: Map<number, number>): string[] {
    const way: string[] = [];
    for (let nodes = graph.nodes; way.length < 2;) {
        const heaviest = column(graph, nodes, order, way).boxes.filter(b => !b.node).sort((a, b) => b.us - a.us)[0];
        if (!heaviest) break;
        way.push(heaviest.key);
        nodes = heaviest.nodes;
    }
    return way;
}

function wayTo(graph: Graph, order: Map<number, number>, id: number): string[] {
    const way: string[] = [];
    for (let nodes = graph.nodes; way.length < 6;) {
        const b = column(graph, nodes, order, way).boxes.find(x => x.nodes.some(n => n.id === id));
        if (!b || b.node) break;
        way.push(b.key);
        nodes = b.nodes;
    }
    return way;
}

function Selected({ graph, id }: { graph: Graph; id: number }) {
    const n = graph.nodes.find(x => x.id === id);
    return (
        <OperatorPane run={graph.run_id} id={id}>
            {n && n.origin && n.origin !== 'file' && <div class="pane-part s"><h3>{n.origin === 'fused' ? 'Fused' : 'Put in by ONNX Runtime'}</h3>{n.fused_from?.length ? <ul class="neighbours">{n.fused_from.map(x => <li class="ell">{x}</li>)}</ul> : null}</div>}
            {n?.fallback && <div class="pane-part s"><b class="trouble">Fell back to the CPU</b></div>}
        </OperatorPane>
    );
}

function Overview({ graph, hottest, colour, total }: { graph: Graph; hottest: GraphNode[]; colour: (typeof COLOURS)[string]; total: number }) {
    const report = useGet<Report>('/api/report', { run: graph.run_id });
    const fusion = report.data?.fusion?.find(x => x.session === graph.session);
    const fell = graph.nodes.filter(n => n.fallback).length;
    const gone = (why: string) => graph.gone.filter(g => g.why === why).length;
    return (
        <>
            <div class="pane-part"><h3>Hottest nodes <span class="ink3">of {f.count(graph.nodes.length)}</span></h3>
                <table><tbody>{hottest.slice(0, 12).map(n => <tr><td class="ell"><a class="plain" href={href({ view: 'graph', run: params().run, op: String(n.id), colour: params().colour })}>{n.layer !== undefined && <span class="ink3">L{n.layer} </span>}{shortName(n as Operator)}</a></td><td class="r">{colour.unit(colour.value(n))}</td><td class="r">{f.share(colour.value(n) / (total || 1))}</td></tr>)}</tbody></table></div>
            <dl class="pane-part rows">
                <dt>in the file</dt><dd>{graph.file_nodes === undefined ? f.DASH : `${f.count(graph.file_nodes)} nodes`}</dd><dt>ran</dt><dd>{f.count(graph.nodes.length)}</dd><dt>as they are</dt><dd>{f.count(fusion?.kept)}</dd><dt>made by fusion</dt><dd>{f.count(fusion?.made_by_fusion)}</dd><dt>put in</dt><dd>{f.count(fusion?.inserted)}</dd>
                {graph.gone.length > 0 && <><dt>folded, removed</dt><dd>{f.count(gone('folded'))}, {f.count(gone('removed'))}</dd></>}
                <dt>fell back</dt><dd>{fell ? <b class="trouble">{f.count(fell)}</b> : 'none'}</dd>
            </dl>
            <div class="pane-part s ink2"><p>Click a box to open it, an operator to see it. <kbd>/</kbd> finds, <kbd>esc</kbd> goes back.</p></div>
        </>
    );
}

function Legend({ colour, graph }: { colour: string; graph: Graph }) {
    const providers = [...new Set(graph.nodes.map(n => n.provider))];
    return (
        <footer class="graph-legend">
            <span>share of the operators’ {colour} <svg width="120" height="10" aria-hidden="true">{Array.from({ length: 40 }, (_, i) => <rect x={i * 3} width="3.3" height="10" fill={heat(i / 39)} />)}</svg></span>
            <span><i class="hot-line" /> hot path: the heaviest way through</span><span><i class="double" /> fused</span><span><i class="dashed" /> put in</span><span><i class="corner" /> fell back</span>
            {providers.map(x => <span><Swatch colour={x?.replace(/ExecutionProvider$/, '') === 'CPU' ? 'cpu' : 'gpu'} />{x?.replace(/ExecutionProvider$/, '')}</span>)}
        </footer>
    );
}
