// run_raw.tsx -- the report as the server tells it.

import { useState } from 'preact/hooks';
import { save } from '../core/api';
import { Panel } from '../parts/basic';
import type { RunData } from './run';

export function RawTab({ data }: { data: RunData }) {
    const [find, search] = useState('');
    const text = JSON.stringify(data.report, null, 2);
    const lines = text.split('\n'), shown = find ? lines.filter(l => l.toLowerCase().includes(find.toLowerCase())) : lines;
    return (
        <Panel title="Raw" note={`GET /api/report?run=${data.id.slice(0, 8)}, ${lines.length.toLocaleString('en')} lines`} now={<>
            <input type="search" class="field low" placeholder="lines with  /" aria-label="Lines with" value={find} onInput={e => search(e.currentTarget.value)} />
            <button class="btn low" onClick={() => save(new Blob([text], { type: 'application/json' }), `${data.id}.report.json`)}>Save</button>
        </>}>
            <pre class="raw" tabIndex={0}>{shown.slice(0, 5000).join('\n')}{shown.length > 5000 ? '\n…' : ''}</pre>
        </Panel>
    );
}
