// token_map.ts -- a column for each token: a bar of its time, its text, a cell
// for each layer.  Times are on a log scale, hot is dark on paper.

import * as f from '../core/format';
import { css, heat, inkOn } from '../core/theme';
import type { Tokens } from '../core/types';
import { fit, font, hline, surface, text } from './canvas';

export interface TokenPicture { tokens: Tokens; unit: string; at?: number; tall?: boolean }
const LEFT = 128, RIGHT = 116, TOP = 72, ROW = 18, BAR = 40;

const columnWidth = (w: number, n: number) => (w - LEFT - RIGHT) / n;
const written = (p: TokenPicture, v: number | null | undefined) =>
    (v == null ? f.DASH : p.unit === 'µs' ? f.micros(v) : p.unit === 'mJ' ? f.joules(v / 1e3) : f.number(v));

/** The log scale of the cells: from the least to the most that is there. */
function scale(t: Tokens): (v: number) => number {
    let lo = Infinity, hi = 0;
    for (const row of t.values) for (const v of row) if (v && v > 0) {
        lo = Math.min(lo, v);
        hi = Math.max(hi, v);
    }
    const a = Math.log(lo), b = Math.log(hi);
    return v => (v > 0 && b > a ? 0.06 + 0.94 * (Math.log(v) - a) / (b - a) : 0);
}

export function drawTokens(canvas: HTMLCanvasElement, p: TokenPicture) {
    const { g, w } = surface(canvas), t = p.tokens, n = t.token_index.length, cw = columnWidth(w, n), gap = cw > 4 ? 1 : 0;
    const rest = [...t.duration_us.slice(1)].sort((a, b) => a - b), most = rest[Math.floor(rest.length * 0.98)] || t.duration_us[0] || 1;
    const least = Math.min(...t.duration_us);
    text(g, 'time of a token', 0, 42, 'ink-2');
    text(g, f.micros(most), LEFT - 8, 12, 'ink-3', 'right');
    if (t.token_text) text(g, 'token', 0, 60, 'ink-3');
    t.duration_us.forEach((us, i) => {
        const x = LEFT + i * cw, h = Math.min(1, us / most) * BAR;
        g.fillStyle = css(i === 0 ? 'prefill' : us > most ? 'decode-line' : 'decode');
        g.fillRect(x, 44 - h, Math.max(0.7, cw - gap), h);
        if (t.token_text && cw > 14) {
            const fill = heat(Math.min(1, 0.1 + 0.75 * (us - least) / (most - least || 1)));
            g.fillStyle = fill;
            g.fillRect(x, 47, cw - gap, 19);
            g.font = font(12, 600);
            text(g, fit(g, t.token_text[i].trim() || '␣', cw - 2), x + cw / 2, 60, inkOn(fill), 'center');
            g.font = font(11);
        }
    });
    hline(g, LEFT, w - RIGHT, 44, 'rule-2');
    if (t.rows.length) rows(g, p, w, cw, gap);
    if (p.at !== undefined) {
        g.strokeStyle = css('ink');
        g.lineWidth = 1;
        g.strokeRect(Math.round(LEFT + p.at * cw) - 0.5, 2.5, Math.max(2, cw), TOP + t.rows.length * ROW - 2);
    }
}

function rows(g: CanvasRenderingContext2D, p: TokenPicture, w: number, cw: number, gap: number) {
    const t = p.tokens, tone = scale(t);
    const means = t.values.map(row => {
        const known = row.filter((v): v is number => v != null).slice(1);
        return known.length ? known.reduce((a, b) => a + b, 0) / known.length : undefined;
    });
    const total = means.reduce<number>((a, m) => a + (m ?? 0), 0);
    text(g, 'mean', w - RIGHT + 64, 60, 'ink-3', 'right');
    if (p.unit) text(g, 'share', w, 60, 'ink-3', 'right');
    t.rows.forEach((row, k) => {
        const y = TOP + k * ROW;
        text(g, fit(g, row.name.replace(/_/g, ' '), LEFT - 12), 0, y + 12, 'ink-2');
        t.traced.forEach((column, i) => {
            const v = t.values[k]?.[i];
            if (v == null) return;
            g.fillStyle = heat(tone(v));
            g.fillRect(LEFT + column * cw, y, Math.max(0.7, cw - gap), ROW - 1);
        });
        text(g, written(p, means[k]), w - RIGHT + 64, y + 12, 'ink', 'right');
        if (p.unit && means[k] !== undefined) text(g, f.share(means[k]! / total), w, y + 12, 'ink-2', 'right');
    });
    const y = TOP + t.rows.length * ROW + 8;
    const left = w < 480 ? 0 : LEFT; // a phone has no room beside it
    for (let i = 0; i < 60; i++) {
        g.fillStyle = heat(i / 59);
        g.fillRect(left + i * 3, y, 3.3, 8);
    }
    const all = t.values.flat().filter((v): v is number => v != null && v > 0);
    if (all.length) text(g, `${written(p, all.reduce((a, b) => Math.min(a, b)))} … ${written(p, all.reduce((a, b) => Math.max(a, b)))}, log`, left + 188, y + 8, 'ink-2');
}

/** What lies under the pointer. */
export function tokenAt(canvas: HTMLCanvasElement, p: TokenPicture, x: number, y: number): { token: number; lines: string[] } | undefined {
    const t = p.tokens, i = Math.floor((x - LEFT) / columnWidth(canvas.clientWidth, t.token_index.length));
    if (i < 0 || i >= t.token_index.length) return undefined;
    const k = Math.floor((y - TOP) / ROW), row = t.rows[k], column = t.traced.indexOf(i);
    const name = `token ${t.token_index[i]}${t.token_text ? ` “${t.token_text[i]}”` : ''}`;
    const lines = [name, f.micros(t.duration_us[i])];
    if (t.max_us) lines.push(`most ${f.micros(t.max_us[i])}`);
    if (row) lines.push(`${row.name.replace(/_/g, ' ')}: ${column < 0 ? 'not traced' : written(p, t.values[k]?.[column])}`);
    return { token: i, lines };
}
