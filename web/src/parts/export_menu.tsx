// export_menu.tsx -- every format of `ortmeter export`, what is shown as CSV,
// the charts as an image.

import { useState } from 'preact/hooks';
import { download, PROFILING, save } from '../core/api';
import { surface } from '../charts/canvas';
import { css } from '../core/theme';
import { toast } from './toast';

const FORMATS: [string, string, string][] = [
    ['json', 'JSON', 'the whole run, nested; ortmeter import takes it back'],
    ['csv', 'CSV', 'tables for spreadsheets'], ['jsonl', 'JSON Lines', 'an object a row'],
    ['parquet', 'Parquet', 'inferences, for DuckDB, pandas, Spark'],
    ['chrome', 'Chrome trace', 'for Perfetto and chrome://tracing'], ['perfetto', 'Perfetto', 'its own format, smaller'],
    ['html', 'HTML', 'a report as one page, readable offline'], ['markdown', 'Markdown', 'a report for a pull request'],
    ['tensorboard', 'TensorBoard', 'an event file'], ['prometheus', 'Prometheus', 'metrics as text'],
    ['otlp', 'OpenTelemetry', 'metrics and traces'], ['junit', 'JUnit', 'for a build server'], ['etl', 'ETL', 'for Windows’ tools'],
];

export function openExport() {
    (document.getElementById('export-dialog') as HTMLDialogElement | null)?.showModal();
}

export function ExportMenu({ run }: { run?: string }) {
    const [gzip, set] = useState(false);
    const close = () => (document.getElementById('export-dialog') as HTMLDialogElement).close();
    const fetchOne = async (format: string) => {
        close();
        try {
            await download(`${PROFILING}/export/${run}`, {
                format, compress: gzip ? 'gzip' : undefined, table: format === 'parquet' ? 'inferences' : undefined,
            }, `${run}.${format}`);
        } catch (e) {
            toast((e as Error).message);
        }
    };
    return (
        <dialog id="export-dialog" aria-label="Export" onClick={e => e.target === e.currentTarget && close()}>
            <h2>Export</h2>
            {run
                ? <>
                    <p class="ink2 s">run {run.slice(0, 8)}, all of it</p>
                    <div class="formats">{FORMATS.map(([format, name, what]) => <button class="btn" onClick={() => void fetchOne(format)}><b>{name}</b><span class="ink3">{what}</span></button>)}</div>
                    <label class="s"><input type="checkbox" checked={gzip} onChange={e => set(e.currentTarget.checked)} /> compressed with gzip</label>
                </>
                : <p class="ink2 s">No run is chosen.</p>}
            <h2>What is on the screen</h2>
            <div class="formats">
                <button class="btn" onClick={() => { close(); copyTables(); }}><b>Copy as CSV</b><span class="ink3">the tables of this view</span></button>
                <button class="btn" onClick={() => { close(); void copyImage(); }}><b>Copy as PNG</b><span class="ink3">the charts of this view</span></button>
                <button class="btn" onClick={() => { close(); void image().then(blob => save(blob, 'ortmeter.png')); }}><b>Save as PNG</b><span class="ink3">the charts of this view</span></button>
                <button class="btn" onClick={() => { close(); void navigator.clipboard.writeText(location.href).then(() => toast('The link is copied.')); }}><b>Copy the link</b><span class="ink3">this view, window and selection</span></button>
            </div>
        </dialog>
    );
}

const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

function copyTables() {
    const tables = [...document.querySelectorAll('.view table')].map(t =>
        [...t.querySelectorAll('tr')].map(row => [...row.children].map(c => cell((c.textContent ?? '').trim().replace(/\u202f/g, ' '))).join(',')).join('\n'));
    if (!tables.length) {
        toast('This view has no table.');
        return;
    }
    const text = tables.join('\n\n') + '\n';
    navigator.clipboard.writeText(text).then(() => toast('The tables are copied.'), () => save(new Blob([text], { type: 'text/csv' }), 'ortmeter.csv'));
}

/** All canvases of the view where they stand, on the theme's paper. */
async function image(): Promise<Blob> {
    const view = document.querySelector('.view') as HTMLElement, box = view.getBoundingClientRect();
    const out = document.createElement('canvas');
    Object.assign(out.style, { position: 'fixed', left: '-99999px', width: `${box.width}px`, height: `${box.height}px` });
    document.body.append(out);
    const { g, w, h } = surface(out);
    g.fillStyle = css('bg');
    g.fillRect(0, 0, w, h);
    for (const canvas of view.querySelectorAll('canvas')) {
        const at = canvas.getBoundingClientRect();
        if (at.width && at.height) g.drawImage(canvas, at.left - box.left, at.top - box.top, at.width, at.height);
    }
    for (const title of view.querySelectorAll('.panel > header h2, .answer h1, .fig .v, .fig .k')) {
        const at = title.getBoundingClientRect(), style = getComputedStyle(title);
        g.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
        g.fillStyle = style.color;
        g.fillText(title.textContent ?? '', at.left - box.left, at.bottom - box.top - 4);
    }
    return new Promise((done, failed) => out.toBlob(blob => {
        out.remove();
        if (blob) done(blob);
        else failed(new Error('The browser made no image of it.'));
    }));
}

/** The clipboard takes a promise, so that the click still counts; where it may not be written, a file. */
function copyImage() {
    const blob = image();
    return Promise.resolve().then(() => navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]))
        .then(() => toast('The image is copied.'), () => blob.then(b => save(b, 'ortmeter.png')));
}
