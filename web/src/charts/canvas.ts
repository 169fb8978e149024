// canvas.ts -- what all drawing on a canvas shares: pixels, lines, text.

import { css } from '../core/theme';

export interface Surface { g: CanvasRenderingContext2D; w: number; h: number }

/** The canvas cleared and scaled: draw in CSS pixels. */
export function surface(canvas: HTMLCanvasElement): Surface {
    const w = canvas.clientWidth, h = canvas.clientHeight, k = devicePixelRatio || 1;
    const pw = Math.round(w * k), ph = Math.round(h * k);
    if (canvas.width !== pw || canvas.height !== ph) {
        canvas.width = pw;
        canvas.height = ph;
    }
    const g = canvas.getContext('2d')!;
    g.setTransform(k, 0, 0, k, 0, 0);
    g.clearRect(0, 0, w, h);
    g.font = font(11);
    g.textBaseline = 'alphabetic';
    return { g, w, h };
}

let family = '';
export function font(size: number, weight = 400): string {
    family ||= getComputedStyle(document.documentElement).getPropertyValue('--font');
    return `${weight} ${size}px ${family}`;
}

export function text(g: CanvasRenderingContext2D, s: string, x: number, y: number, colour = 'ink-3', align: CanvasTextAlign = 'left') {
    g.fillStyle = /^(#|rgb)/.test(colour) ? colour : css(colour);
    g.textAlign = align;
    g.fillText(s, x, y);
}

export function hline(g: CanvasRenderingContext2D, x0: number, x1: number, y: number, colour = 'grid') {
    g.fillStyle = css(colour);
    g.fillRect(x0, Math.round(y), x1 - x0, 1);
}

export function vline(g: CanvasRenderingContext2D, x: number, y0: number, y1: number, colour = 'grid') {
    g.fillStyle = css(colour);
    g.fillRect(Math.round(x), y0, 1, y1 - y0);
}

/** The beginning of a text that fits, with an ellipsis; '' if nothing does. */
export function fit(g: CanvasRenderingContext2D, s: string, w: number): string {
    if (w < 14) return '';
    if (g.measureText(s).width <= w) return s;
    let a = 0, b = s.length;
    while (a < b) {
        const m = (a + b + 1) >> 1;
        if (g.measureText(s.slice(0, m) + '…').width <= w) a = m;
        else b = m - 1;
    }
    return a ? s.slice(0, a) + '…' : '';
}

/** Nothing ran, nothing came, or the meter's own cost: hatched. */
export function hatch(g: CanvasRenderingContext2D, x: number, y: number, w: number, h: number) {
    if (w <= 0) return;
    g.save();
    g.beginPath();
    g.rect(x, y, w, h);
    g.clip();
    g.strokeStyle = css('rule-2');
    g.lineWidth = 1;
    g.beginPath();
    for (let i = x - h; i < x + w; i += 6) {
        g.moveTo(i, y + h);
        g.lineTo(i + h, y);
    }
    g.stroke();
    g.restore();
}
