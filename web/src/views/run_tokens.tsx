// run_tokens.tsx -- tokens as columns: their time, their text, and a heat map of
// layers below it.

import { useCallback, useMemo, useState } from 'preact/hooks';
import { drawTokens, tokenAt, type TokenPicture } from '../charts/token_map';
import * as f from '../core/format';
import { useGet, useTheme } from '../core/hooks';
import { go, params, withParams } from '../core/router';
import { PROFILING } from '../core/api';
import { tokenColumns, type TokenRow } from '../core/tokens';
import { Canvas, Empty, Panel, Skeleton } from '../parts/basic';
import { hideTip, showTip } from '../parts/tip';
import type { RunData } from './run';

const VALUES: [string, string][] = [['duration_us', 'time'], ['energy_mj', 'energy'], ['activation_mean', 'activation, mean'], ['activation_sparsity', 'activation, sparsity']];

export function TokensTab({ data }: { data: RunData }) {
    if (!data.report.tokens?.count)
        return <div class="pad"><Empty><b>This run generated no text.</b><p>Tokens show up for models with a key-value cache: prefill and decode are told apart by the shapes of their inputs.</p></Empty></div>;
    const { tokens } = data.report;
    return (
        <>
            <TokenMatrix data={data} tall />
            <Panel title="Attention heads" now={<span class="ink3">none recorded</span>}><Empty><p>No statistics of attention heads were recorded with this run.</p></Empty></Panel>
            <div class="pad"><p class="s ink2">{f.count(tokens.count)} tokens in {f.count(tokens.generations)} {tokens.generations === 1 ? 'generation' : 'generations'}; first token {f.millis(tokens.ttft_p50_ms ?? tokens.ttft_ms)}, from one token to the next {f.millis(tokens.tpot_p50_ms ?? tokens.tpot_ms)} (median), {f.number(tokens.tokens_per_s)} tokens/s. Texts are shown when the program tells them, or with --store-prompts.</p></div>
        </>
    );
}

export function TokenMatrix({ data, tall }: { data: RunData; tall?: boolean }) {
    useTheme();
    const p = params(), value = p.value ?? 'duration_us', rows = p.rows ?? 'layer';
    const answer = useGet<{ tokens: TokenRow[] }>(`${PROFILING}/run/${data.id}`, { parts: 'tokens' });
    const [at, hover] = useState<number | undefined>();
    const t = useMemo(() => answer.data && tokenColumns(answer.data.tokens, data, rows, value), [answer.data, rows, value]), picture: TokenPicture | undefined = t && t.token_index.length ? { tokens: t, unit: value === 'energy_mj' ? 'mJ' : value === 'duration_us' ? 'µs' : '', at, tall } : undefined;
    const draw = useCallback((c: HTMLCanvasElement) => picture && drawTokens(c, picture), [t, at, tall, value]);
    if (answer.error) return <Panel title="Tokens"><Empty><p>{answer.error.message}</p></Empty></Panel>;
    if (!t) return <Panel title="Tokens"><Skeleton /></Panel>;
    if (!picture) return <Panel title="Tokens"><Empty><p>The tokens of this run were not kept one by one.</p></Empty></Panel>;
    const sorted = [...t.duration_us].sort((a, b) => a - b), q = (x: number) => sorted[Math.min(sorted.length - 1, Math.floor(x * sorted.length))];
    const height = t.rows.length ? 76 + t.rows.length * 18 + 22 : 70;
    return (
        <Panel title="Tokens" note={t.rows.length ? `${f.count(t.token_index.length)}, ${rows === 'layer' ? 'layers' : 'components'} below` : `${f.count(t.token_index.length)}; layers of single tokens come with ortmeter generate`} now={<>
            <span class="ink3 s">p50 {f.micros(q(0.5))}, p95 {f.micros(q(0.95))}, most {f.micros(sorted.at(-1))}</span>
            {t.rows.length > 0 && <select class="field low" aria-label="Colour by" value={value} onChange={e => go(withParams({ value: e.currentTarget.value }), 'replace')}>{VALUES.map(([v, name]) => <option value={v}>{name}</option>)}</select>}
            {t.rows.length > 0 && <select class="field low" aria-label="Rows" value={rows} onChange={e => go(withParams({ rows: e.currentTarget.value }), 'replace')}><option value="layer">layers</option><option value="component">components</option></select>}
        </>}>
            <Canvas class="tokens" draw={c => {
                c.style.height = `${height}px`;
                draw(c);
            }} label={`${t.token_index.length} tokens, slowest ${f.micros(sorted.at(-1))}`}
                onMouseMove={e => {
                    const hit = tokenAt(e.currentTarget as HTMLCanvasElement, picture, e.offsetX, e.offsetY);
                    hover(hit?.token);
                    showTip(e, hit ? hit.lines : null);
                }} onMouseLeave={() => { hover(undefined); hideTip(); }} />
        </Panel>
    );
}
