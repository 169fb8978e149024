// toast.tsx -- one line at the foot that says what was done, and takes it back.

import { useEffect, useState } from 'preact/hooks';

interface Toast { text: string; action?: string; act?: () => void; until: number }
let current: Toast | undefined;
let tell: (() => void) | undefined;

export function toast(text: string, action?: string, act?: () => void, seconds = 6) {
    current = { text, action, act, until: Date.now() + seconds * 1000 };
    tell?.();
}

export function Toasts() {
    const [, render] = useState(0);
    useEffect(() => {
        tell = () => render(n => n + 1);
        const timer = setInterval(() => {
            if (current && Date.now() > current.until) {
                current = undefined;
                render(n => n + 1);
            }
        }, 250);
        return () => {
            tell = undefined;
            clearInterval(timer);
        };
    }, []);
    return (
        <div class="toast" role="status" hidden={!current}>
            {current?.text}
            {current?.action && <button class="btn" onClick={() => {
                current?.act?.();
                current = undefined;
                render(n => n + 1);
            }}>{current.action}</button>}
        </div>
    );
}
