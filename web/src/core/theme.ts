// theme.ts -- light or dark, and the tokens of tokens.css for canvases.

const root = document.documentElement;
const dark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();
let colours: Record<string, string> = {};
let ramp: string[] | undefined;
let probe: HTMLElement | undefined;

export const isDark = () => (root.dataset.theme ?? (dark.matches ? 'dark' : 'light')) === 'dark';

/** Calls `redraw` whenever colours change; the answer ends that. */
export function onTheme(redraw: () => void): () => void {
    listeners.add(redraw);
    return () => listeners.delete(redraw);
}

function changed() {
    colours = {};
    ramp = undefined;
    for (const redraw of listeners) redraw();
}

export function setTheme(theme: 'light' | 'dark' | null, keep = true) {
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    if (keep) setting('theme', theme ?? '');
    changed();
}

export const toggleTheme = () => setTheme(isDark() ? 'light' : 'dark');

/** A setting of this browser; with a value it is kept. */
export function setting(name: string, value?: string): string | null {
    try {
        if (value === '') localStorage.removeItem(`ortmeter.${name}`);
        else if (value !== undefined) localStorage.setItem(`ortmeter.${name}`, value);
        return localStorage.getItem(`ortmeter.${name}`);
    } catch {
        return null; // a frame of another origin may not keep anything
    }
}

dark.addEventListener('change', changed);
{
    const asked = new URLSearchParams(location.search).get('theme') ?? setting('theme');
    if (asked === 'light' || asked === 'dark') root.dataset.theme = asked;
}

/** A token's colour in the theme in force: css('cpu-2'). */
export function css(name: string): string {
    if (colours[name]) return colours[name];
    if (!probe) {
        probe = document.createElement('i');
        probe.hidden = true;
        root.append(probe);
    }
    probe.style.color = `var(--${name})`;
    return (colours[name] = getComputedStyle(probe).color);
}

// --- heat: the seven steps interpolated in OKLab -----------------------------

const rgb = (s: string) => s.match(/[\d.]+/g)!.slice(0, 3).map(Number);
const linear = (v: number) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const encoded = (v: number) => Math.round(255 * Math.min(1, Math.max(0,
    v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055)));

function toLab(colour: number[]): number[] {
    const [r, g, b] = colour.map(linear);
    const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}

function fromLab([L, a, b]: number[]): number[] {
    const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
    return [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s].map(encoded);
}

/** 0 to 1 as a colour of the ramp. */
export function heat(t: number): string {
    if (!ramp) {
        const steps = [0, 1, 2, 3, 4, 5, 6].map(i => toLab(rgb(css(`heat-${i}`))));
        ramp = Array.from({ length: 129 }, (_, i) => {
            const x = (i / 128) * 6, j = Math.min(5, Math.floor(x)), f = x - j;
            return `rgb(${fromLab(steps[j].map((v, n) => v + (steps[j + 1][n] - v) * f)).join(' ')})`;
        });
    }
    return ramp[Math.round(Math.min(1, Math.max(0, t || 0)) * 128)];
}

/** Black or white, whichever reads better on it. */
export function inkOn(colour: string): string {
    const [r, g, b] = rgb(colour).map(linear);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000000' : '#ffffff';
}

// --- what colours mean ---------------------------------------------------------

export type Provider = 'cpu' | 'gpu' | 'npu' | 'other';

/** The class of an execution provider, or of `CPU GPU NPU Mixed`. */
export function providerClass(name: string | undefined): Provider {
    const n = (name ?? '').replace(/ExecutionProvider$/, '').toLowerCase();
    if (/^(cpu|xnnpack|acl|dnnl)$/.test(n)) return 'cpu';
    if (/^(gpu|cuda|tensorrt|nvtensorrtrtx|rocm|migraphx|dml|webgpu)$/.test(n)) return 'gpu';
    if (/^(npu|qnn|vitisai)$/.test(n)) return 'npu';
    return 'other';
}

export const providerName = (name: string | undefined) =>
    (name ?? '').replace(/ExecutionProvider$/, '');

const MATRIX = /MatMul|Gemm|Conv|Attention|LSTM|GRU/;
const MOVE = /^(Transpose|Reshape|Concat|Slice|Gather|GatherElements|GatherND|Split|Unsqueeze|Squeeze|Expand|Shape|Cast|ConstantOfShape|Range|Trilu|Where|Identity|Pad|Tile|Flatten|Memcpy\w*|Reorder\w+)$/;

/** What an operator does: matrix products, other arithmetic, moving data. */
export const work = (type: string | undefined): '' | '-2' | '-3' =>
    MATRIX.test(type ?? '') ? '' : MOVE.test(type ?? '') ? '-3' : '-2';

/** The token of an operator's fill: provider says where, its tint what. */
export function operatorColour(type: string | undefined, provider: string | undefined): string {
    const where = providerClass(provider);
    return where === 'other' ? 'other' : where + work(type);
}

/** The token of a phase: the store's names and the short ones. */
export function phaseColour(phase: string | undefined): string {
    switch (phase) {
    case 'prefill': case 'decode': return phase;
    case 'pre': case 'pre_inference': return 'pre';
    case 'post': case 'post_inference': return 'post';
    default: return 'idle';
    }
}
