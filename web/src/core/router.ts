// router.ts -- the query is the state: every view is a link, and back works.

export type Params = Record<string, string | undefined>;
const listeners = new Set<() => void>();

export function params(): Record<string, string> {
    return Object.fromEntries(new URLSearchParams(location.search));
}

/** A link to `wanted`, with nothing of what is there now. */
export function href(wanted: Params): string {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(wanted))
        if (value !== undefined && value !== '') query.set(name, value);
    const text = query.toString().replace(/%2C/g, ',').replace(/%2F/g, '/').replace(/%3A/g, ':');
    return location.pathname + (text ? `?${text}` : '');
}

/** The same place with some of its parameters changed; undefined removes one. */
export const withParams = (changes: Params) => href({ ...params(), ...changes });

export function go(url: string, how: 'push' | 'replace' = 'push') {
    if (url === location.pathname + location.search) return;
    if (how === 'push') history.pushState(null, '', url);
    else history.replaceState(null, '', url);
    for (const f of listeners) f();
}

/** State that moves quickly (a zoom): written at once, told to nobody. */
export function note(changes: Params) {
    history.replaceState(null, '', withParams(changes));
}

export function onRoute(f: () => void): () => void {
    listeners.add(f);
    return () => listeners.delete(f);
}

addEventListener('popstate', () => {
    for (const f of listeners) f();
});

// A plain click on a link of ours changes the view without loading the page.
document.addEventListener('click', e => {
    const a = (e.target as Element).closest?.('a[href]') as HTMLAnchorElement | null;
    if (!a || e.defaultPrevented || e.button || e.ctrlKey || e.metaKey || e.shiftKey) return;
    if (a.origin !== location.origin || a.pathname !== location.pathname || a.target || a.download) return;
    e.preventDefault();
    go(a.pathname + a.search);
});
