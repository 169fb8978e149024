// graph.ts -- the folded graph on a canvas: up to three columns, each top-down,
// its hot path as the spine.

import * as f from '../core/format';
import { css, heat, inkOn, providerClass } from '../core/theme';
import type { GraphNode } from '../core/types';
import { fit, font, hline, surface, text } from './canvas';
import { rows, type Box, type Column } from './fold';

export interface Placed { box: Box; column: number; x: number; y: number; w: number; h: number }
export interface Picture { columns: Column[]; placed: Placed[]; height: number; width: number; value: (n: GraphNode) => number; total: number; unit: (v: number) => string; open: string[]; selected?: number; hover?: Placed; found?: Set<number> }

const TOP = 56, GAP = 10, WIDE = 170, NARROW = 124;
const tall = (b: Box) => (b.node ? 24 : 42);

/** Puts boxes into rows, the hot path in the middle; columns stand side by side. */
export function place(columns: Column[], width: number): { placed: Placed[]; height: number } {
    const placed: Placed[] = [], share = width / columns.length;
    let height = 0;
    columns.forEach((c, k) => {
        const row = rows(c), byRow = new Map<number, Box[]>();
        for (const b of c.boxes) byRow.set(row.get(b)!, [...(byRow.get(row.get(b)!) ?? []), b]);
        let y = TOP;
        const middle = share * k + share / 2;
        for (const [, list] of [...byRow].sort((a, b) => a[0] - b[0])) {
            const wide = Math.min(list[0].node ? NARROW : WIDE, share - 48), most = Math.max(1, Math.floor((share - 32) / (wide + 12)));
            list.sort((a, b) => Number(c.hot.has(b)) - Number(c.hot.has(a)) || b.us - a.us);
            for (let i = 0; i < list.length; i += most) {
                const part = list.slice(i, i + most), h = Math.max(...part.map(tall));
                part.forEach((b, j) => {
                    // the first in the middle, then left and right of it in turn
                    const side = j === 0 ? 0 : Math.ceil(j / 2) * (j % 2 ? -1 : 1);
                    const shift = part.length % 2 === 0 ? (wide + 12) / 2 : 0;
                    placed.push({ box: b, column: k, x: middle + side * (wide + 12) + shift - wide / 2, y, w: wide, h: tall(b) });
                });
                y += h + GAP + 8;
            }
        }
        height = Math.max(height, y + 16);
    });
    return { placed, height };
}

export function drawGraph(canvas: HTMLCanvasElement, p: Picture) {
    const { g, w, h } = surface(canvas), share = w / p.columns.length, at = new Map(p.placed.map(x => [x.box, x]));
    p.columns.forEach((c, k) => {
        const left = k * share;
        if (k) opened(g, p, k, left, h);
        g.font = font(12, 600);
        text(g, fit(g, c.title, share - 32), left + 16, 20, 'ink');
        g.font = font(11);
        const nodes = c.boxes.reduce((s, b) => s + b.nodes.length, 0), sum = c.boxes.reduce((s, b) => s + valueOf(p, b), 0);
        text(g, `${f.count(nodes)} nodes, ${p.unit(sum)}, ${f.share(sum / p.total)}`, left + 16, 36, 'ink-2');
        links(g, c, at);
    });
    for (const x of p.placed) box(g, p, x);
}

/** The shape from a box to the column that it opened. */
function opened(g: CanvasRenderingContext2D, p: Picture, k: number, left: number, h: number) {
    const from = p.placed.find(x => x.column === k - 1 && x.box.key === p.open[k - 1]);
    g.fillStyle = css('bg-2');
    g.fillRect(left + 8, 4, p.width / p.columns.length - 8, h - 8);
    if (from) {
        g.beginPath();
        g.moveTo(from.x + from.w, from.y);
        g.bezierCurveTo(left - 20, from.y, left - 10, 4, left + 8, 4);
        g.lineTo(left + 8, h - 4);
        g.bezierCurveTo(left - 10, h - 4, left - 20, from.y + from.h, from.x + from.w, from.y + from.h);
        g.closePath();
        g.fill();
    }
}

const thick = (bytes: number) => (bytes > 1e7 ? 5 : bytes > 1e6 ? 3 : bytes > 1e5 ? 2 : 1);

function links(g: CanvasRenderingContext2D, c: Column, at: Map<Box, Placed>) {
    const many = c.links.length > 400;
    for (const hot of [false, true])
        for (const l of c.links) {
            const a = at.get(l.from)!, b = at.get(l.to)!, isHot = c.hot.get(l.from) === l.to;
            // Folding makes ways back that no node takes: those are not drawn.
            if (isHot !== hot || b.y <= a.y || (many && !hot && l.bytes < 1e5)) continue;
            const x0 = a.x + a.w / 2, x1 = b.x + b.w / 2, y0 = a.y + a.h, y1 = b.y, far = y1 - y0;
            g.beginPath();
            g.strokeStyle = css(hot ? 'heat-line' : 'axis');
            g.globalAlpha = hot ? 1 : 0.65;
            g.lineWidth = hot ? Math.max(2.5, thick(l.bytes)) : thick(l.bytes);
            g.moveTo(x0, y0);
            // Over several rows: around what stands between.
            if (!hot && far > 70) {
                const bend = Math.max(a.x + a.w, b.x + b.w) + 12 + Math.min(60, far / 14);
                g.bezierCurveTo(x0, y0 + 10, bend, y0 + 4, bend, y0 + 24);
                g.lineTo(bend, y1 - 24);
                g.bezierCurveTo(bend, y1 - 4, x1, y1 - 10, x1, y1);
            } else {
                g.bezierCurveTo(x0, y0 + Math.max(8, far / 2), x1, y1 - Math.max(8, far / 2), x1, y1);
            }
            g.stroke();
        }
    g.globalAlpha = 1;
}

const valueOf = (p: Picture, b: Box) => b.nodes.reduce((s, n) => s + p.value(n), 0);

function box(g: CanvasRenderingContext2D, p: Picture, x: Placed) {
    const { box: b } = x, v = valueOf(p, b), fill = heat(p.total ? Math.sqrt(v / p.total) : 0), ink = inkOn(fill), n = b.node;
    const fused = b.nodes.filter(k => k.origin === 'fused').length, put = b.nodes.filter(k => k.origin === 'inserted').length, fell = b.nodes.filter(k => k.fallback).length;
    g.globalAlpha = p.found && !b.nodes.some(k => p.found!.has(k.id)) ? 0.2 : 1;
    if (n?.origin === 'fused') {
        g.strokeStyle = css('axis');
        g.lineWidth = 1;
        g.strokeRect(x.x + 3.5, x.y + 3.5, x.w - 1, x.h - 1);
    }
    g.fillStyle = fill;
    g.fillRect(x.x, x.y, x.w, x.h);
    g.fillStyle = css(providerClass(b.nodes[0].provider));
    g.fillRect(x.x, x.y, 4, x.h);
    const chosen = (n && n.id === p.selected) || (!n && p.open[x.column] === b.key);
    g.setLineDash(n?.origin === 'inserted' ? [3, 2] : []);
    g.strokeStyle = css(chosen || p.hover === x ? 'ink' : 'rule-2');
    g.lineWidth = chosen ? 2 : 1;
    g.strokeRect(x.x + 0.5, x.y + 0.5, x.w - 1, x.h - 1);
    g.setLineDash([]);
    if (fell) {
        g.fillStyle = css('trouble');
        g.beginPath();
        g.moveTo(x.x + x.w - 10, x.y);
        g.lineTo(x.x + x.w, x.y);
        g.lineTo(x.x + x.w, x.y + 10);
        g.fill();
    }
    const amount = p.unit(v);
    g.font = font(11);
    const wide = g.measureText(amount).width;
    text(g, amount, x.x + x.w - 6, x.y + 16, ink, 'right');
    g.font = font(11, 600);
    text(g, fit(g, b.name, x.w - wide - 20), x.x + 10, x.y + 16, ink);
    g.font = font(11);
    if (!n) {
        text(g, f.share(p.total ? v / p.total : 0), x.x + x.w - 6, x.y + 30, ink, 'right');
        text(g, fit(g, [`${f.count(b.nodes.length)} ops`, fused && `${fused} fused`, put && `${put} put in`, fell && `${fell} fell back`].filter(Boolean).join(', '), x.w - 56), x.x + 10, x.y + 30, ink);
        hline(g, x.x + 10, x.x + 10 + (x.w - 20) * Math.min(1, p.total ? v / p.total : 0), x.y + 36, 'ink-3');
    }
    g.globalAlpha = 1;
}

export const boxAt = (p: Picture, x: number, y: number) =>
    p.placed.find(b => x >= b.x && x <= b.x + b.w && y >= b.y && y <= b.y + b.h);
