// cores.ts -- CPU over time: an area for each core up to four, heat strips above,
// and below them the program's share of all.

import { cursorTime } from '../core/cursor';
import { share } from '../core/format';
import type { Grid, Series } from '../core/grid';
import { css, heat } from '../core/theme';
import { hline, surface, text, vline } from './canvas';
import { LEFT } from './time_chart';

export interface Cores { grid: Grid; cores: Series[]; ours: (number | null)[]; others: (number | null)[]; total: number; at: number }

export function drawCores(canvas: HTMLCanvasElement, c: Cores) {
    const { g, w, h } = surface(canvas), { grid } = c, top = 4;
    const x = (t: number) => LEFT + (t - grid.from) / grid.window * (w - LEFT);
    const strips = c.cores.length > 4, rows = strips ? 2 : c.cores.length + 1;
    const gap = 4, height = (h - top - gap * (rows - 1)) / rows;
    if (strips) drawStrips(g, c, x, top, height, w);
    else
        c.cores.forEach((s, i) => {
            const y0 = top + i * (height + gap), values = grid.column(s);
            backdrop(g, y0, height, w);
            area(g, values, c, x, y0, height, 1, 'cpu-3');
            text(g, `cpu${s.labels.cpu ?? s.labels.core ?? i}`, LEFT - 6, y0 + 11, 'ink-3', 'right');
            if (height > 24) text(g, share(values[c.at] ?? undefined), LEFT - 6, y0 + 24, 'ink', 'right');
        });
    const y0 = top + (rows - 1) * (height + gap);
    backdrop(g, y0, height, w);
    const all = c.ours.map((v, i) => (v === null ? null : v + (c.others[i] ?? 0)));
    if (c.others.some(v => v !== null)) area(g, all, c, x, y0, height, c.total, 'other');
    area(g, c.ours, c, x, y0, height, c.total, 'cpu');
    text(g, 'all', LEFT - 6, y0 + 11, 'ink-3', 'right');
    const t = cursorTime();
    if (t !== null && x(t) >= LEFT) vline(g, x(t), top, h, 'ink-2');
}

function backdrop(g: CanvasRenderingContext2D, y: number, height: number, w: number) {
    g.fillStyle = css('bg-2');
    g.fillRect(LEFT, y, w - LEFT, height);
    hline(g, LEFT, w, y + height - 1, 'rule-2');
}

function area(g: CanvasRenderingContext2D, values: (number | null)[], c: Cores, x: (t: number) => number, y0: number, height: number, most: number, colour: string) {
    g.fillStyle = css(colour);
    values.forEach((v, i) => {
        if (v === null) return;
        const a = Math.max(LEFT, x(c.grid.timeOf(i))), b = x(Math.min(c.grid.timeOf(i + 1), c.grid.now));
        if (b <= a) return;
        const tall = Math.min(1, v / most) * height;
        g.fillRect(a, y0 + height - tall, b - a + 0.5, tall);
    });
}

function drawStrips(g: CanvasRenderingContext2D, c: Cores, x: (t: number) => number, top: number, height: number, w: number) {
    const row = height / c.cores.length;
    backdrop(g, top, height, w);
    c.cores.forEach((s, k) => {
        c.grid.column(s).forEach((v, i) => {
            if (v === null) return;
            const a = Math.max(LEFT, x(c.grid.timeOf(i))), b = x(Math.min(c.grid.timeOf(i + 1), c.grid.now));
            if (b <= a) return;
            g.fillStyle = heat(v * 0.8);
            g.fillRect(a, top + k * row, b - a + 0.5, Math.max(1, row - (row > 4 ? 1 : 0)));
        });
    });
    text(g, 'cpu0', LEFT - 6, top + 9, 'ink-3', 'right');
    text(g, `cpu${c.cores.length - 1}`, LEFT - 6, top + height - 1, 'ink-3', 'right');
}
