// api.ts -- asks the server; what it refuses is one sentence.

const KEY = 'ortmeter.token';
type Query = Record<string, string | number | undefined>;

export class Refused extends Error {
    constructor(readonly status: number, readonly code: string, detail: string) {
        super(detail);
    }
}

// The owner's link brings the token behind '#': kept for this tab, and out of
// the address before anybody sees or copies it.
{
    const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
    if (token) {
        keep(token);
        history.replaceState(null, '', location.pathname + location.search);
    }
}

let token: string | null | undefined;
export function currentToken(): string | null {
    if (token === undefined)
        try {
            token = sessionStorage.getItem(KEY);
        } catch {
            token = null;
        }
    return token;
}

/** Keeps a token for this tab; null signs out. */
export function keep(value: string | null) {
    token = value;
    try {
        if (value) sessionStorage.setItem(KEY, value);
        else sessionStorage.removeItem(KEY);
    } catch {
        // a frame that may not keep anything asks again next time
    }
}

export function url(path: string, query: Query = {}): string {
    const q = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
        if (value !== undefined && value !== '') q.set(name, String(value));
    const text = q.toString();
    return path + (text ? `?${text}` : '');
}

async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const secret = currentToken();
    if (secret) headers.set('Authorization', `Bearer ${secret}`);
    let answer: Response;
    try {
        answer = await fetch(path, { ...init, headers });
    } catch (e) {
        if ((e as Error).name === 'AbortError') throw e;
        throw new Refused(0, 'unreachable', 'The server does not answer.');
    }
    if (answer.ok) return answer;
    let problem: { code?: string; detail?: string } = {};
    try {
        problem = await answer.json();
    } catch {
        // not one of our answers: its status says enough
    }
    throw new Refused(answer.status, problem.code ?? 'http', problem.detail ?? `The server answered ${answer.status} to ${path}.`);
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    return (await send(url(path, query), { signal })).json();
}

// Answers on one run that several panels ask for: asked once, kept a little.
const KEPT = /^\/api\/(report|operators|graph|spans|findings)/, KEEP = 30_000, MOST = 12;
const kept = new Map<string, { at: number; answer: Promise<unknown> }>();

/** As get, but the same question within half a minute is not sent again. */
export function getKept<T>(path: string, query: Query = {}): Promise<T> {
    const key = url(path, query), old = kept.get(key);
    if (old && Date.now() - old.at < KEEP) return old.answer as Promise<T>;
    const answer = get<T>(path, query);
    if (KEPT.test(path)) {
        kept.set(key, { at: Date.now(), answer });
        answer.catch(() => kept.delete(key));
        if (kept.size > MOST) kept.delete(kept.keys().next().value!);
    }
    return answer;
}

export const forget = () => kept.clear();

export async function change<T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T> {
    const answer = await send(path, {
        method,
        headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
    });
    return answer.json();
}

/** Hands a file to the browser; a link would not carry the token. */
export async function download(path: string, query: Query, fallbackName: string) {
    const answer = await send(url(path, query));
    const name = /filename="([^"]+)"/.exec(answer.headers.get('Content-Disposition') ?? '')?.[1] ?? fallbackName;
    save(await answer.blob(), name);
}

export function save(blob: Blob, name: string) {
    const a = document.createElement('a');
    a.href = URL.createObjectURL(blob);
    a.download = name;
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
}

export const PROFILING = '/api/profiling';
