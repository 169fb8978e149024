// comparison.tsx -- two runs beside each other: figures with their intervals,
// distributions one over the other, the change at each percentile.

import { bucketMiddle, bucketStart, quantiles, type Buckets } from '../core/buckets';
import * as f from '../core/format';
import { useSize } from '../core/hooks';
import type { ComparedRun, Figure, ShiftPoint } from '../core/types';

export const verdictWord = (v?: string) => (v ?? 'cannot_tell').replace(/_/g, ' ');
export const tone = (v?: string) => (v === 'worse' ? 'worse' : v === 'better' ? 'better' : 'tell');

/** "+7.1 %" and its interval in brackets. */
export const interval = (i?: [number, number]) => (i ? `[${i.map(v => f.change(v).replace(/\u202f?%/, '')).join(', ')}]` : '');

/** Names that are too long for their column. */
const SHORT: Record<string, string> = { inferences_per_s: 'inf/s', joules_per_inference: 'J/inf', joules_per_token: 'J/token', rss_growth: 'growth', peak_rss: 'memory' };

export function Forest({ figures }: { figures: Figure[] }) {
    const [ref, w, h] = useSize<HTMLDivElement>();
    const x0 = 176, x1 = w - 88, top = 20, row = Math.min(32, (h - top - 20) / Math.max(1, figures.length));
    const most = Math.max(0.1, ...figures.flatMap(r => [Math.abs(r.change ?? 0), ...(r.interval ?? []).map(Math.abs)]));
    const end = Math.min(4, most), x = (v: number) => (x0 + x1) / 2 + Math.sign(v) * Math.sqrt(Math.min(1, Math.abs(v) / end)) * (x1 - x0) / 2;
    const bottom = top + row * figures.length;
    return (
        <div ref={ref} class="fill-box">{w > 0 && <svg width={w} height={h} role="img" aria-label={figures.map(r => `${r.name} ${f.change(r.change)} ${verdictWord(r.verdict)}`).join('; ')}>
            {[-end, -end / 4, 0, end / 4, end].map(v => <g><line x1={x(v)} x2={x(v)} y1={top - 4} y2={bottom} class={v ? 'grid-line' : 'axis-line'} />{v >= -1 && (Math.abs(v) !== end / 4 || x1 - x0 > 200) && <text x={x(v)} y={bottom + 14} text-anchor="middle" class="soft">{v ? f.change(v) : '0'}</text>}</g>)}
            <text x="92" y="12" text-anchor="end" class="soft">before</text><text x="164" y="12" text-anchor="end" class="soft">after</text>
            {figures.map((r, i) => {
                const y = top + row * (i + 0.5), t = tone(r.verdict), text = (v?: number) => f.ofUnit(r.unit, v);
                return (
                    <g class={`figure ${t}`}>
                        <text x="0" y={y + 4} class="ink">{SHORT[r.name] ?? r.name.replace(/_/g, ' ')}</text><text x="92" y={y + 4} text-anchor="end">{text(r.before)}</text><text x="164" y={y + 4} text-anchor="end">{text(r.after)}</text>
                        {r.interval && <line x1={x(r.interval[0])} x2={x(r.interval[1])} y1={y} y2={y} class="mark" stroke-width={t === 'tell' ? 1.5 : 3} />}
                        {r.change !== undefined && <circle cx={x(r.change)} cy={y} r="4" class="mark dot-mark" />}
                        <text x={w} y={y + 4} text-anchor="end" class="word">{t === 'tell' && r.interval ? verdictWord(r.verdict) : f.change(r.change)}</text>
                    </g>
                );
            })}
        </svg>}</div>
    );
}

/** Counts of equal steps between lo and hi, from buckets that are not. */
function counts(b: Buckets, lo: number, hi: number, n: number): number[] {
    const out = Array(n).fill(0);
    for (const [bucket, c] of b) {
        const at = Math.floor((bucketMiddle(bucket) - lo) / (hi - lo) * n);
        if (at >= 0 && at < n) out[at] += c;
    }
    return out;
}

export function Overlaid({ before, after, worse }: { before: Buckets; after: Buckets; worse?: boolean }) {
    const [ref, w, h] = useSize<HTMLDivElement>();
    const [a50, a97, b50, b97] = [...quantiles(before, [0.5, 0.97]), ...quantiles(after, [0.5, 0.97])];
    if (a50 === undefined || b50 === undefined) return <div ref={ref} class="fill-box empty">One of the runs has no inferences that count.</div>;
    const least = Math.min(...before.keys(), ...after.keys()), lo = bucketStart(least) * 0.98, hi = Math.max(a97!, b97!) * 1e9 * 1.15, n = Math.max(12, Math.min(60, Math.floor(w / 14)));
    const A = counts(before, lo, hi, n), B = counts(after, lo, hi, n), most = Math.max(...A, ...B, 1) * 1.1;
    const x = (ns: number) => 36 + (ns - lo) / (hi - lo) * (w - 44), y = (v: number) => h - 20 - v / most * (h - 44);
    let line = `M${x(lo)} ${y(0)}`;
    B.forEach((c, i) => (line += `V${y(c)}H${x(lo + (i + 1) / n * (hi - lo))}`));
    const over = (b: Buckets) => [...b].reduce((s, [k, c]) => s + (bucketMiddle(k) > hi ? c : 0), 0);
    return (
        <div ref={ref} class="fill-box">{w > 0 && <svg width={w} height={h} role="img" aria-label={`Latency: median ${f.time(a50)} before, ${f.time(b50)} after`}>
            {f.ticks(0, most, 3).map(v => <g><line x1="36" x2={w} y1={y(v)} y2={y(v)} class="grid-line" /><text x="30" y={y(v) + 4} text-anchor="end" class="soft">{v}</text></g>)}
            {f.ticks(lo, hi, 6).map(v => <text x={x(v)} y={h - 4} text-anchor="middle" class="soft">{f.tick(f.nanos(v))}</text>)}
            {A.map((c, i) => <rect x={x(lo + i / n * (hi - lo)) + 0.5} y={y(c)} width={Math.max(1, (w - 44) / n - 1)} height={h - 20 - y(c)} class="before-bar" />)}
            <path d={`${line}V${y(0)}`} class="after-line" />
            <line x1={x(a50 * 1e9)} x2={x(a50 * 1e9)} y1="18" y2={h - 20} class="axis-line dashed" /><line x1={x(b50 * 1e9)} x2={x(b50 * 1e9)} y1="18" y2={h - 20} class={worse ? 'trouble-line' : 'ink-line'} />
            <text x={x(Math.max(a50, b50) * 1e9) + 6} y="14">median {f.time(a50)}, <tspan class="strong">after {f.time(b50)}</tspan></text>
            <text x={w} y="30" text-anchor="end" class="soft">beyond {f.nanos(hi)}: {over(before)} before, {over(after)} after</text>
        </svg>}</div>
    );
}

/** Each run's undisturbed time in the order of their start, one side behind the other. */
export function Dots({ before, after }: { before: ComparedRun[]; after: ComparedRun[] }) {
    const [ref, w, h] = useSize<HTMLDivElement>();
    const all = [...before.map(r => ({ ...r, side: 'before' })), ...after.map(r => ({ ...r, side: 'after' }))].filter(r => r.p10_us !== undefined).sort((a, b) => a.started_ns - b.started_ns);
    const values = all.map(r => r.p10_us!), lo = Math.min(...values), hi = Math.max(...values), room = (hi - lo) * 0.1 || hi * 0.01 || 1;
    const x = (i: number) => 60 + (i + 0.5) / Math.max(1, all.length) * (w - 68), y = (v: number) => 8 + (hi + room - v) / (hi - lo + 2 * room) * (h - 30);
    return (
        <div ref={ref} class="fill-box">{w > 0 && <svg width={w} height={h} role="img" aria-label={`Undisturbed time of ${before.length} runs before and ${after.length} after`}>
            {f.ticks(lo - room, hi + room, 4).map(v => <g><line x1="60" x2={w} y1={y(v)} y2={y(v)} class="grid-line" /><text x="54" y={y(v) + 4} text-anchor="end" class="soft">{f.tick(f.micros(v))}</text></g>)}
            <text x="60" y={h - 4} class="soft">first</text><text x={w} y={h - 4} text-anchor="end" class="soft">last</text>
            {all.map((r, i) => <circle cx={x(i)} cy={y(r.p10_us!)} r="4" class={`run-dot ${r.side}`} data-tip={`${r.run_id.slice(0, 8)} ${r.side}: ${f.micros(r.p10_us)}`} />)}
        </svg>}</div>
    );
}

export function Shift({ shift }: { shift: ShiftPoint[] }) {
    const [ref, w, h] = useSize<HTMLDivElement>();
    const inner = shift.filter(s => s[0] >= 5 && s[0] <= 95), all = inner.flatMap(s => s.slice(1));
    const hi = Math.max(1, ...all) * 1.1, lo = Math.min(-1, ...all) * 1.1;
    const sure = shift.filter((s): s is [number, number, number, number] => s.length === 4);
    const x = (q: number) => 52 + q / 100 * (w - 60), y = (v: number) => 8 + (hi - Math.max(lo, Math.min(hi, v))) / (hi - lo) * (h - 30);
    return (
        <div ref={ref} class="fill-box">{w > 0 && <svg width={w} height={h} role="img" aria-label={`Change at each percentile: ${shift.map(s => `p${s[0]} ${f.signed(s[1], f.micros)}`).join(', ')}`}>
            {f.ticks(lo, hi, 4).map(v => <g><line x1="52" x2={w} y1={y(v)} y2={y(v)} class={v ? 'grid-line' : 'axis-line'} /><text x="46" y={y(v) + 4} text-anchor="end" class="soft">{v ? f.signed(v, a => f.tick(f.micros(a))) : '0'}</text></g>)}
            {[0, 25, 50, 75, 100].map(q => <text x={x(q)} y={h - 4} text-anchor={q === 0 ? 'start' : q === 100 ? 'end' : 'middle'} class="soft">p{q}</text>)}
            {sure.length > 1 && <path d={`M${sure.map(s => `${x(s[0])} ${y(s[3])}`).join('L')}L${[...sure].reverse().map(s => `${x(s[0])} ${y(s[2])}`).join('L')}Z`} class="fill-bg-3" />}
            <path d={`M${shift.map(s => `${x(s[0])} ${y(s[1])}`).join('L')}`} class="after-line" />
        </svg>}</div>
    );
}
