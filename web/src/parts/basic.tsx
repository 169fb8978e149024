// basic.tsx -- the small parts that all views are made of.

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { DASH, parts } from '../core/format';
import { providerClass, providerName } from '../core/theme';
import type { Missing } from '../core/types';
import type { Refused } from '../core/api';

export const ICONS = {
    mark: <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true"><path d="M2 13.5a7 7 0 1 1 14 0" fill="none" stroke="currentColor" stroke-width="1.6" /><path d="M9 13.5 12.6 7" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" /><circle cx="9" cy="13.5" r="1.7" fill="currentColor" /></svg>,
    theme: <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true"><circle cx="7" cy="7" r="5.5" fill="none" stroke="currentColor" stroke-width="1.3" /><path d="M7 1.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" /></svg>,
    pause: <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true"><path d="M1.5 1h2.6v8H1.5zM5.9 1h2.6v8H5.9z" fill="currentColor" /></svg>,
    play: <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true"><path d="M2 .8 9 5 2 9.2z" fill="currentColor" /></svg>,
    down: <svg width="11" height="11" viewBox="0 0 11 11" aria-hidden="true"><path d="M5.5.5v6.3M2.7 4.2l2.8 2.8 2.8-2.8M.8 10h9.4" fill="none" stroke="currentColor" stroke-width="1.3" /></svg>,
};

/** Not known: an em dash, its reason on hover and for screen readers. */
export function Dash({ why }: { why?: string }) {
    return <span class="dash" data-tip={why ?? 'not known'} tabIndex={0} aria-label={`not known: ${why ?? 'no reason was told'}`} role="note">{DASH}</span>;
}

/** A text of format.ts, or the dash with its reason when it is one. */
export function Value({ text, why }: { text: string; why?: string }) {
    return text === DASH ? <Dash why={why} /> : <>{text}</>;
}

/** Why a member or a metric is absent, as the answer says. */
export const reason = (missing: Missing[] | undefined, ...names: string[]) => {
    const m = missing?.find(x => names.some(n => x.member === n || x.metric === n || x.member?.endsWith(`.${n}`)));
    return m && (m.remedy ? `${m.reason}. ${m.remedy}` : m.reason);
};

/** A large figure of an answer line. */
export function Figure({ label, text, change, why, kind, href }: {
    label: ComponentChildren; text: string; change?: string; why?: string; kind?: string; href?: string;
}) {
    const [number, unit] = parts(text);
    return (
        <div class={`fig ${kind ?? ''}`}>
            <span class="v">{text === DASH ? <Dash why={why} /> : <><b>{number}</b><u>{unit}</u></>}</span>
            <span class="k">{href ? <a href={href}>{label}</a> : label}{change ? <i>{change}</i> : null}</span>
        </div>
    );
}

const NARROW = matchMedia('(max-width: 800px)');

export function Panel({ title, note, now, children, kind, id, fill }: {
    title: ComponentChildren; note?: ComponentChildren; now?: ComponentChildren; children: ComponentChildren; kind?: string; id?: string; fill?: boolean;
}) {
    const ref = useRef<HTMLElement>(null);
    useEffect(() => { // on a phone wide ones scroll: by keys, too
        const el = ref.current!;
        if (NARROW.matches && el.scrollWidth > el.clientWidth) el.tabIndex = 0;
        else el.removeAttribute('tabindex');
    });
    return (
        <section ref={ref} class={`panel ${kind ?? ''}`} id={id}>
            <header><h2>{title}</h2>{note !== undefined && <span class="ink3 ell note">{note}</span>}<span class="now">{now}</span></header>
            {fill ? <div class="draw">{children}</div> : children}
        </section>
    );
}

/** Where it ran: a square in the provider's colour and its name. */
export function On({ provider }: { provider?: string }) {
    return <><span class={`sw bg-${providerClass(provider)}`} />{providerName(provider) || DASH}</>;
}

export const Swatch = ({ colour, kind }: { colour: string; kind?: string }) => <span class={`sw ${kind ?? ''} bg-${colour}`} />;

/** How a figure is known: solid measured, dashed apportioned, dotted modelled. */
export const Method = ({ method }: { method?: string }) =>
    (method ? <span class={`method ${method}`}>{method}</span> : <Dash why="the method was not told" />);

/** An empty panel teaches: what is absent, why, what to do. */
export function Empty({ children }: { children: ComponentChildren }) {
    return <div class="empty none">{children}</div>;
}

/** What an answer's failure looks like in the place of what it would show. */
export function Failure({ error, again }: { error: Refused; again?: () => void }) {
    return (
        <div class="empty none" role="alert">
            <p>{error.status === 0 ? 'The server does not answer; the last values stay where there are some.' : error.message}</p>
            {again && <p><button class="btn" onClick={again}>Try again</button></p>}
        </div>
    );
}

export const Skeleton = () => <div class="skeleton" aria-label="not there yet" role="status" />;

/** A canvas that is drawn again when it is sized; `draw` gets CSS pixels. */
export function Canvas({ draw, label, ...rest }: { draw: (canvas: HTMLCanvasElement) => void; label: string } & JSX.HTMLAttributes<HTMLCanvasElement>) {
    const ref = useRef<HTMLCanvasElement>(null);
    useEffect(() => draw(ref.current!));
    useEffect(() => {
        const observer = new ResizeObserver(() => ref.current && draw(ref.current));
        observer.observe(ref.current!);
        return () => observer.disconnect();
    }, [draw]);
    return <canvas ref={ref} role="img" aria-label={label} {...rest} />;
}
