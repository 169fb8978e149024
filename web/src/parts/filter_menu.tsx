// filter_menu.tsx -- which metrics Live shows; in the URL, and kept.  What is
// hidden is not asked for either.

import { go, withParams } from '../core/router';
import { GROUPS, store } from '../core/store';
import { setting } from '../core/theme';

export function openFilter() {
    (document.getElementById('filter-dialog') as HTMLDialogElement | null)?.showModal();
}

/** Told while it is asked: a click may come before the last one is drawn. */
function toggle(group: string) {
    const hidden = store.hidden();
    const next = hidden.includes(group) ? hidden.filter(g => g !== group) : [...hidden, group];
    setting('hide', next.join(','));
    go(withParams({ hide: next.join(',') || undefined }), 'replace');
    store.filter();
}

export function FilterMenu() {
    const hidden = store.hidden();
    return (
        <dialog id="filter-dialog" aria-label="Metrics" onClick={e => e.target === e.currentTarget && e.currentTarget.close()}>
            <h2>Metrics</h2>
            <p class="ink2 s">What nothing on the page needs is not sent either.</p>
            <ul class="choices">{Object.entries(GROUPS).map(([group, { name }]) => <li><label><input type="checkbox" checked={!hidden.includes(group)} onChange={() => toggle(group)} /> {name}</label></li>)}</ul>
            <button class="btn" onClick={e => e.currentTarget.closest('dialog')!.close()}>Done</button>
        </dialog>
    );
}

export const shows = (group: string) => !store.hidden().includes(group);
