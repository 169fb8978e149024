// embed.tsx -- one panel alone, for other people's pages: /embed/performance,
// /embed/resource, /embed/timeline, /embed/energy, each with ?run=… &theme=….

import { useEffect } from 'preact/hooks';
import { useGet, useStore, useTheme } from '../core/hooks';
import { params } from '../core/router';
import { store } from '../core/store';
import type { Report } from '../core/types';
import { Failure, Skeleton } from '../parts/basic';
import { Resources } from '../parts/resources';
import { Performance } from './live';
import { EnergyTab } from './run_energy';
import { TimelineView } from './timeline';
import '../style/live.css';
import '../style/run.css';

const panel = /^\/embed\/(\w+)$/.exec(location.pathname)?.[1];

export function EmbedView() {
    useTheme();
    useEffect(() => {
        document.documentElement.dataset.embedded = panel;
    }, []);
    switch (panel) {
    case 'performance': return <Performance />;
    case 'resource': return <ResourcePanel />;
    case 'timeline': return <TimelineView embedded />;
    case 'energy': return <EnergyPanel />;
    default: return <main class="pad"><p>There is no panel {panel}: performance, resource, timeline, energy.</p></main>;
    }
}

function ResourcePanel() {
    useStore(4);
    return store.ready ? <main class="live resource"><Resources shown={store.shown} /></main> : <Skeleton />;
}

function EnergyPanel() {
    const run = params().run ?? 'last', report = useGet<Report>('/api/report', { run });
    if (report.error) return <main class="pad"><Failure error={report.error} again={report.again} /></main>;
    return <main class="run">{report.data ? <EnergyTab data={{ id: report.data.run.id, report: report.data }} /> : <Skeleton />}</main>;
}
