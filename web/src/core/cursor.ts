// cursor.ts -- one moment for all charts of a view: hover anywhere shows the
// values of that instant everywhere.

import { useEffect, useState } from 'preact/hooks';

let at: number | null = null;
const listeners = new Set<() => void>();

export const cursorTime = () => at;

export function setCursor(time: number | null) {
    if (time === at) return;
    at = time;
    for (const f of listeners) f();
}

export function onCursor(f: () => void): () => void {
    listeners.add(f);
    return () => listeners.delete(f);
}

export function useCursor(): number | null {
    const [, render] = useState(0);
    useEffect(() => onCursor(() => render(n => n + 1)), []);
    return at;
}
