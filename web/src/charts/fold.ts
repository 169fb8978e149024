// fold.ts -- a model's graph, folded: layers and components as boxes, opened one
// beside the other, so that 10,000 nodes are never more than a column of some 60.

import type { Graph, GraphNode } from '../core/types';

export interface Box {
    key: string;
    name: string;
    nodes: GraphNode[];
    /** Only one node, which is shown as itself. */
    node?: GraphNode;
    us: number;
    order: number; // where it stands from input to output
}
export interface Link { from: Box; to: Box; bytes: number }
export interface Column { title: string; path: string[]; boxes: Box[]; links: Link[]; /** the hot path: what follows on what */ hot: Map<Box, Box | undefined> }

const MOST = 60; // boxes of a column
const FEW = 40; // nodes that are shown one by one

export const timeOf = (n: GraphNode) => n.per_inference_us ?? n.mean_us ?? 0;

/** Nodes from input to output: each behind all that it reads. */
export function ordered(graph: Graph): Map<number, number> {
    const waits = new Map<number, number>(), next = new Map<number, number[]>();
    for (const n of graph.nodes) waits.set(n.id, 0);
    for (const e of graph.edges) {
        if (!waits.has(e.from) || !waits.has(e.to)) continue;
        waits.set(e.to, waits.get(e.to)! + 1);
        next.set(e.from, [...(next.get(e.from) ?? []), e.to]);
    }
    const queue = graph.nodes.filter(n => !waits.get(n.id)).map(n => n.id), order = new Map<number, number>();
    for (let i = 0; i < queue.length; i++) {
        order.set(queue[i], i);
        for (const to of next.get(queue[i]) ?? []) {
            waits.set(to, waits.get(to)! - 1);
            if (!waits.get(to)) queue.push(to);
        }
    }
    for (const n of graph.nodes) if (!order.has(n.id)) order.set(n.id, order.size); // part of a loop
    return order;
}

const prefix = (n: GraphNode) => (n.name ?? '').split('/').filter(Boolean).slice(0, -1).slice(0, 2).join('/') || n.op_type || 'other';

const ATTENTION = /^([qkvo]_proj|qkv_proj|rotary|qk|scale|mask|softmax|av|attention|kv_cache|[qk]_norm)$/;
const MLP = /^(gate_proj|up_proj|down_proj|gate_up_proj|activation|multiply|fc1|fc2|mlp)$/;

/** The part of a layer that a component belongs to. */
const blockOf = (n: GraphNode) =>
    n.block ?? (ATTENTION.test(n.component ?? '') ? 'attention' : MLP.test(n.component ?? '') ? 'mlp' : n.component);

/** How the nodes of a level fall into boxes. */
function keyer(nodes: GraphNode[], depth: number): (n: GraphNode) => string {
    if (depth === 0 && nodes.some(n => n.layer !== undefined)) return n => (n.layer !== undefined ? `layer ${n.layer}` : n.component ?? n.block ?? 'other');
    if (depth === 1 && nodes.some(n => blockOf(n) !== n.component)) return n => blockOf(n) ?? 'other';
    if (new Set(nodes.map(n => n.component)).size > 1) return n => n.component ?? 'other';
    return prefix;
}

function makeBox(key: string, nodes: GraphNode[], order: Map<number, number>): Box {
    const places = nodes.map(n => order.get(n.id)!).sort((a, b) => a - b);
    return {
        key, name: key.replace(/_/g, ' '), nodes, node: nodes.length === 1 ? nodes[0] : undefined,
        us: nodes.reduce((s, n) => s + timeOf(n), 0), order: places[places.length >> 1],
    };
}

/** A few nodes of one name that stand far apart (the residual adds of a layer)
 * are a box each; as one they would be before and behind all others at once. */
function apart(key: string, nodes: GraphNode[], order: Map<number, number>, depth: number): Box[] {
    if (depth === 0 || nodes.length > 4) return [makeBox(key, nodes, order)];
    return nodes.map(n => ({ ...makeBox(nodes.length > 1 ? String(n.id) : key, [n], order), name: key.replace(/_/g, ' ') }));
}

/** One column: the boxes of some nodes, and what runs between them. */
export function column(graph: Graph, nodes: GraphNode[], order: Map<number, number>, path: string[]): Column {
    const sorted = [...nodes].sort((a, b) => order.get(a.id)! - order.get(b.id)!);
    let boxes: Box[];
    if (sorted.length <= FEW) {
        boxes = sorted.map(n => ({ ...makeBox(String(n.id), [n], order), name: n.op_type ?? 'operator' }));
    } else {
        const key = keyer(sorted, path.length), groups = new Map<string, GraphNode[]>();
        for (const n of sorted) groups.set(key(n), [...(groups.get(key(n)) ?? []), n]);
        if (groups.size < 2 || groups.size > MOST) {
            const size = Math.ceil(sorted.length / Math.min(MOST / 2, Math.ceil(sorted.length / (FEW / 2))));
            groups.clear();
            sorted.forEach((n, i) => {
                const name = `nodes ${Math.floor(i / size) * size + 1} to ${Math.min(sorted.length, (Math.floor(i / size) + 1) * size)}`;
                groups.set(name, [...(groups.get(name) ?? []), n]);
            });
        }
        boxes = [...groups].flatMap(([k, list]) => apart(k, list, order, path.length)).sort((a, b) => a.order - b.order);
    }
    const of = new Map<number, Box>();
    for (const b of boxes) for (const n of b.nodes) of.set(n.id, b);
    const links = new Map<string, Link>();
    for (const e of graph.edges) {
        const from = of.get(e.from), to = of.get(e.to);
        if (!from || !to || from === to) continue;
        const key = `${from.key}>${to.key}`, link = links.get(key);
        if (link) link.bytes += e.bytes ?? 0;
        else links.set(key, { from, to, bytes: e.bytes ?? 0 });
    }
    const list = [...links.values()];
    return { title: path.length ? path.at(-1)!.replace(/_/g, ' ') : 'the model', path, boxes, links: list, hot: hotPath(boxes, list) };
}

/** The heaviest way from the beginning to the end, by time. */
function hotPath(boxes: Box[], links: Link[]): Map<Box, Box | undefined> {
    const place = new Map(boxes.map((b, i) => [b, i])), best = boxes.map(b => b.us), from: (Box | undefined)[] = boxes.map(() => undefined);
    const into = new Map<Box, Link[]>();
    for (const l of links) if (place.get(l.from)! < place.get(l.to)!) into.set(l.to, [...(into.get(l.to) ?? []), l]);
    boxes.forEach((b, i) => {
        for (const l of into.get(b) ?? []) {
            const t = best[place.get(l.from)!] + b.us;
            if (t > best[i]) {
                best[i] = t;
                from[i] = l.from;
            }
        }
    });
    const path = new Map<Box, Box | undefined>();
    let at: Box | undefined = boxes[best.indexOf(Math.max(...best))], next: Box | undefined;
    while (at) {
        path.set(at, next);
        next = at;
        at = from[place.get(at)!];
    }
    return path;
}

/** The row of each box: one below all that it reads. */
export function rows(c: Column): Map<Box, number> {
    const row = new Map<Box, number>(), place = new Map(c.boxes.map((b, i) => [b, i]));
    for (const b of c.boxes) {
        let r = 0;
        for (const l of c.links) if (l.to === b && place.get(l.from)! < place.get(b)!) r = Math.max(r, (row.get(l.from) ?? 0) + 1);
        row.set(b, r);
    }
    return row;
}
