// main.tsx -- the shell: header, keys, help, sign-in, and the view of the URL.

import './style/tokens.css';
import './style/base.css';
import './style/page.css';
import { render, type ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { keep } from './core/api';
import * as f from './core/format';
import { useKeys, useRoute, useStore } from './core/hooks';
import { KEYS, type Keys } from './core/keys';
import { go, href, params } from './core/router';
import { RATES, store, WINDOWS } from './core/store';
import { toggleTheme } from './core/theme';
import { ICONS, Skeleton } from './parts/basic';
import { ExportMenu, openExport } from './parts/export_menu';
import { FilterMenu, openFilter } from './parts/filter_menu';
import { Toasts } from './parts/toast';
import './parts/tip';
import { SignIn } from './views/sign_in';
import { LiveView } from './views/live';

type View = ComponentType<Record<string, never>>;
const VIEWS: Record<string, () => Promise<View>> = {
    runs: async () => (await import('./views/runs')).RunsView as View,
    run: async () => (await import('./views/run')).RunView as View,
    timeline: async () => (await import('./views/timeline')).TimelineView as View,
    graph: async () => (await import('./views/graph')).GraphView as View,
    compare: async () => (await import('./views/compare')).CompareView as View,
    system: async () => (await import('./views/system')).SystemView as View,
    embed: async () => (await import('./views/embed')).EmbedView as View,
};
const loaded: Record<string, View> = { live: LiveView as View };
const NAVIGATION: [string, string, string[]][] = [
    ['Live', 'live', ['live']], ['Runs', 'runs', ['runs', 'run', 'timeline', 'graph']], ['Compare', 'compare', ['compare']], ['System', 'system', ['system']],
];
const TITLES: Record<string, string> = { runs: 'Runs', run: 'Run', timeline: 'Timeline', graph: 'Graph', compare: 'Compare', system: 'System' };

const embedded = /^\/embed\/(\w+)$/.exec(location.pathname)?.[1];
const viewName = () => (embedded ? 'embed' : params().view ?? 'live');
const link = (view: string, run?: string) => href(view === 'live' ? {} : { view, run });

/** The run that the keys 3 and g are about. */
const currentRun = () => params().run ?? store.shown.runs[0]?.run_id ?? 'last';

function Page() {
    useRoute();
    useStore(4);
    const name = viewName() in VIEWS ? viewName() : 'live';
    const [, arrived] = useState(0);
    useEffect(() => {
        if (!loaded[name]) VIEWS[name]().then(view => {
            loaded[name] = view;
            arrived(n => n + 1);
        });
        scrollTo(0, 0);
    }, [name]);
    useKeys(PAGE_KEYS);
    title(name);
    const Current = loaded[name];
    if (embedded) return store.state === 'refused' ? <SignIn /> : Current ? <><Current /><Recorded /></> : <Skeleton />;
    return (
        <>
            <a class="skip" href="#main">to the content</a>
            <Header name={name} />
            <div id="main" class="view" data-view={name}>{store.state === 'refused' ? <SignIn /> : Current ? <Current /> : <Skeleton />}</div>
            <Help />
            <ExportMenu run={name === 'live' ? store.shown.runs[0]?.run_id : params().run} />
            {name === 'live' && <FilterMenu />}
            <Toasts />
        </>
    );
}

function title(name: string) {
    const s = store.shown;
    document.title = (store.recorded ? 'recorded · ' : '') + (name === 'live'
        ? `${s.sessions[0]?.model ? `${s.sessions[0].model} · ` : ''}ortmeter`
        : `${TITLES[name] ?? ''}${params().run ? ` ${params().run.slice(0, 8)}` : ''} · ortmeter`);
}

function Header({ name }: { name: string }) {
    const isLive = name === 'live' && !['waiting', 'refused', 'ended'].includes(store.state);
    return (
        <header class="bar">
            <a class="brand" href={link('live')}>{ICONS.mark}ortmeter</a>
            <Recorded />
            <nav aria-label="Views">{NAVIGATION.map(([text, view, all]) => <a href={link(view)} aria-current={all.includes(name) ? 'page' : undefined}>{text}</a>)}</nav>
            <span class="grow" />
            <div class="tools">
                <Connection />
                {isLive && <>
                    <select class="field wide" aria-label="Window" data-tip="how much time is shown" value={store.window} onChange={e => store.setWindow(Number(e.currentTarget.value))}>
                        {WINDOWS.map(w => <option value={w}>{f.age(w).replace(/^60.s$/, '60 s').replace('24 h', '24 h')}</option>)}
                    </select>
                    <select class="field wide" aria-label="Rate" data-tip="how often the page is sent values" value={store.wantedRate} onChange={e => store.setRate(Number(e.currentTarget.value))}>
                        {RATES.map(r => <option value={r}>{r} Hz</option>)}
                    </select>
                    <button class="btn wide" id="filter" data-tip="which metrics are shown   m" aria-pressed={store.hidden().length > 0} onClick={openFilter}>Metrics</button>
                    {(store.state === 'live' || store.state === 'paused' || store.state === 'stale') && <button class="btn" id="pause" aria-pressed={store.paused} data-tip="hold still   space" onClick={() => store.setPaused(!store.paused)}>
                        {store.paused ? ICONS.play : ICONS.pause}<span>{store.paused ? 'Go on' : 'Pause'}</span>
                    </button>}
                </>}
                <button class="btn wide" id="export" data-tip="what is shown, for other tools   e" onClick={openExport}>{ICONS.down}Export</button>
                <button class="btn icon bare" aria-label="Light or dark" data-tip="light or dark   t" onClick={toggleTheme}>{ICONS.theme}</button>
                <button class="btn icon bare" aria-label="Keys" data-tip="keys   ?" onClick={toggleHelp}>?</button>
            </div>
        </header>
    );
}

/** `ortmeter demo`: nobody shall take it for a run of theirs. */
const Recorded = () => (store.recorded ? <span class="tag recorded" data-tip="this run came with ortmeter; it was recorded on another machine">recorded</span> : null);

function Connection() {
    const dot = { live: '', disconnected: 'bad', refused: 'bad' }[store.state as string] ?? 'off';
    const slow = store.rate < store.wantedRate ? `, ${store.rate} Hz of ${store.wantedRate}` : '';
    const text: Record<string, [string, string]> = {
        live: ['live', `age ${f.age(store.age)}${slow}`],
        paused: ['paused', `${f.age(store.behind)} behind`],
        stale: ['stale', `age ${f.age(store.age)}`],
        disconnected: ['disconnected', `${f.age((Date.now() - store.lostAt) / 1000)}, trying again in ${f.age(Math.max(0, (store.retryAt - Date.now()) / 1000))}`],
        waiting: ['waiting', 'for a run'],
        ended: ['ended', 'the last run is shown'],
        refused: ['refused', ''],
        connecting: ['connecting', ''],
    };
    const [word, more] = text[store.state];
    return <span class="conn" id="connection" role="status" aria-live="off"><span class={`dot ${dot}`} /><b class={dot === 'bad' ? 'trouble' : ''}>{word}</b><span class="age">{more}</span></span>;
}

// --- help and keys -------------------------------------------------------------------

function toggleHelp() {
    const d = document.getElementById('help') as HTMLDialogElement;
    if (d.open) d.close();
    else d.showModal();
}

function Help() {
    return (
        <dialog id="help" aria-label="Keys" onClick={e => e.target === e.currentTarget && e.currentTarget.close()}>
            <h2>Keys</h2>
            <dl>{KEYS.map(([keys, what]) => <><dt>{keys.split(' ').map(k => <kbd>{k}</kbd>)}</dt><dd class="ink2">{what}</dd></>)}</dl>
        </dialog>
    );
}

const PAGE_KEYS: Keys = {
    '?': toggleHelp, t: toggleTheme, e: openExport, m: openFilter,
    1: () => go(link('live')), 2: () => go(link('runs')), 4: () => go(link('compare')), 5: () => go(link('system')),
    3: () => go(link('timeline', currentRun())), g: () => go(link('graph', currentRun())),
    space: () => {
        if (viewName() === 'live') store.setPaused(!store.paused);
    },
    '/': () => (document.querySelector('.view input[type=search]') as HTMLInputElement | null)?.focus(),
    esc: () => (document.activeElement as HTMLElement | null)?.blur(),
};

// A host page hands a token over without putting it into an address.
addEventListener('message', e => {
    if (e.source === parent && parent !== window && typeof e.data?.ortmeterToken === 'string') {
        keep(e.data.ortmeterToken);
        store.reconnect();
    }
});

const root = document.createElement('div');
root.id = 'page';
document.body.prepend(root);
store.start();
render(<Page />, root);
