// tokens.ts -- tokens as columns, from the nested rows of a run: a column for each
// token, a row for each layer or component.

import type { RunData } from '../views/run';
import type { Tokens } from './types';

interface Part { duration_ms?: number; energy_mj?: number; activation_mean?: number; activation_sparsity?: number }
interface Layer extends Part { layer_index: number; components?: (Part & { component_name: string })[] }
export interface TokenRow extends Part { token_index: number; token_text?: string; layers?: Layer[] }

function valueOf(p: Part | undefined, value: string): number | null {
    const v = value === 'duration_us' ? p?.duration_ms && p.duration_ms * 1e3 : p?.[value as keyof Part];
    return v ?? null;
}

export function tokenColumns(tokens: TokenRow[], data: RunData, rows: string, value: string): Tokens {
    const known = tokens.filter(t => t.duration_ms !== undefined), traced = known.map((t, i) => (t.layers?.length ? i : -1)).filter(i => i >= 0);
    const names: { name: string; pick: (t: TokenRow) => Part | undefined }[] = [];
    if (rows === 'component') {
        const all = new Set(known.flatMap(t => t.layers?.flatMap(l => l.components?.map(c => c.component_name) ?? []) ?? []));
        for (const name of all)
            names.push({ name, pick: t => total(t.layers?.flatMap(l => l.components?.filter(c => c.component_name === name) ?? []) ?? []) });
    } else {
        const layers = Math.max(-1, ...known.flatMap(t => t.layers?.map(l => l.layer_index) ?? []));
        for (let i = 0; i <= layers; i++) names.push({ name: `layer ${i}`, pick: t => t.layers?.find(l => l.layer_index === i) });
    }
    return {
        run_id: data.id, generations: [], token_index: known.map(t => t.token_index), duration_us: known.map(t => t.duration_ms! * 1e3), traced,
        token_text: known.every(t => t.token_text !== undefined) && known.length ? known.map(t => t.token_text!) : undefined,
        rows: traced.length ? names.map(n => ({ name: n.name })) : [], values: names.map(n => traced.map(i => valueOf(n.pick(known[i]), value))),
    };
}

/** Times and joules of a component add up over the layers; means do not. */
function total(parts: Part[]): Part | undefined {
    if (!parts.length) return undefined;
    const sum = (key: keyof Part) => parts.reduce<number | undefined>((a, p) => (p[key] === undefined ? a : (a ?? 0) + p[key]!), undefined);
    const mean = (key: keyof Part) => {
        const s = sum(key);
        return s === undefined ? undefined : s / parts.length;
    };
    return { duration_ms: sum('duration_ms'), energy_mj: sum('energy_mj'), activation_mean: mean('activation_mean'), activation_sparsity: mean('activation_sparsity') };
}
