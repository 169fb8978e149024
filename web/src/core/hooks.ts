// hooks.ts -- how components hear of what changes.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { forget, getKept, Refused } from './api';
import { addKeys, type Keys } from './keys';
import { onRoute } from './router';
import { store } from './store';
import { onTheme } from './theme';

/** Renders again when the store has news, at most `hz` times a second. */
export function useStore(hz = 4) {
    const [, render] = useState(0);
    useEffect(() => {
        let last = 0, timer = 0;
        const now = () => {
            timer = 0;
            last = performance.now();
            render(n => n + 1);
        };
        const off = store.on(() => {
            if (timer) return;
            const wait = 1000 / hz - (performance.now() - last);
            if (wait <= 0) now();
            else timer = window.setTimeout(now, wait);
        });
        return () => {
            off();
            clearTimeout(timer);
        };
    }, [hz]);
    return store;
}

export function useRoute() {
    const [, render] = useState(0);
    useEffect(() => onRoute(() => render(n => n + 1)), []);
}

export function useTheme() {
    const [, render] = useState(0);
    useEffect(() => onTheme(() => render(n => n + 1)), []);
}

/** The keys of a component, as last rendered: who sees it can press them. */
export function useKeys(keys: Keys) {
    const now = useRef(keys);
    now.current = keys;
    useLayoutEffect(() => addKeys(() => now.current), []);
}

export interface Answer<T> { data?: T; error?: Refused; again: () => void }

/** One GET; the last answer stands while the next one comes. */
export function useGet<T>(path: string | undefined, query: Record<string, string | number | undefined> = {}): Answer<T> {
    const [answer, set] = useState<{ data?: T; error?: Refused }>({});
    const [turn, next] = useState(0);
    const key = JSON.stringify(query);
    const before = useRef<string | undefined>(undefined);
    useEffect(() => {
        if (!path) return;
        let stale = false;
        const what = path + (query.run ?? '');
        if (before.current !== what) set({});
        before.current = what;
        getKept<T>(path, query).then(data => {
            if (!stale) set({ data });
        }, error => {
            if (!stale) set({ error: error instanceof Refused ? error : new Refused(0, 'fault', String(error)) });
        });
        return () => {
            stale = true;
        };
    }, [path, key, turn]);
    return { ...answer, again: () => { forget(); next(n => n + 1); } };
}

/** The width of an element, as the window changes. */
export function useSize<E extends HTMLElement>(): [{ current: E | null }, number, number] {
    const ref = useRef<E>(null);
    const [size, set] = useState<[number, number]>([0, 0]);
    useEffect(() => {
        if (!ref.current) return;
        const look = () => ref.current && set([ref.current.clientWidth, ref.current.clientHeight]);
        look();
        const observer = new ResizeObserver(look);
        observer.observe(ref.current);
        return () => observer.disconnect();
    }, []);
    return [ref, size[0], size[1]];
}
