// sign_in.tsx -- the server wants a token: kept for this tab only.

import { useState } from 'preact/hooks';
import { currentToken, keep } from '../core/api';
import { store } from '../core/store';

export function SignIn() {
    const [token, set] = useState('');
    const refused = store.refusal, had = currentToken();
    const submit = (e: Event) => {
        e.preventDefault();
        keep(token.trim() || null);
        store.reconnect();
    };
    return (
        <main class="first">
            <form onSubmit={submit}>
                <h1>{refused?.status === 403 ? 'Not allowed' : 'Sign in'}</h1>
                <p class="ink2">{had ? refused?.message ?? 'The token was refused.' : 'This server answers only with a token. It is kept in this tab until you close it, and never in an address.'}</p>
                <p><label>Token <input class="field token" type="password" autocomplete="off" spellcheck={false} placeholder="ortm_…" value={token} onInput={e => set(e.currentTarget.value)} /></label> <button class="btn" type="submit">Sign in</button></p>
                <p class="ink2">Who runs the server makes one: <code>ortmeter token create --role viewer</code></p>
            </form>
        </main>
    );
}
