// run_bar.tsx -- the second bar of a run: which one it is, and its tabs.

import type { ComponentChildren } from 'preact';
import * as f from '../core/format';
import { href, params } from '../core/router';
import type { RunRow } from '../core/types';

export const TABS: [string, string, string?][] = [
    ['Summary', 'run'], ['Timeline', 'timeline'], ['Graph', 'graph'], ['Operators', 'run', 'operators'], ['Tokens', 'run', 'tokens'],
    ['Energy', 'run', 'energy'], ['Memory', 'run', 'memory'], ['Placement & fusion', 'run', 'placement'], ['System', 'run', 'system'], ['Raw', 'run', 'raw'],
];

export function RunBar({ run, children }: { run?: RunRow; children?: ComponentChildren }) {
    const p = params(), id = run?.run_id ?? p.run ?? 'last';
    return (
        <div class="sub">
            <div class="what">
                <b><a class="plain" href={href({ view: 'run', run: id })}>{id === 'last' ? 'last' : id.slice(0, 8)}</a></b>
                <span class="ell">{run?.model_name ?? run?.models?.[0] ?? run?.command ?? ''}</span>
                {run?.timestamp && <span class="ink3 s hide1280">{f.date(Date.parse(run.timestamp))}</span>}
                {children}
            </div>
            <nav class="tabs" aria-label="Parts of the run">{TABS.map(([name, view, tab]) => (
                <a href={href({ view, run: id, tab })} aria-current={p.view === view && (view !== 'run' || (p.tab ?? undefined) === tab) ? 'page' : undefined}>{name}</a>
            ))}</nav>
        </div>
    );
}
