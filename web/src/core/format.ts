// format.ts -- numbers for reading: three significant digits, the unit scaled
// at 1000, a narrow space before it, U+2212 for minus.  What is not known is an
// em dash; never 0, never blank.

export const NARROW = '\u202f';
export const DASH = '—';
type Number_ = number | null | undefined;

const known = (v: Number_): v is number => v != null && Number.isFinite(v);
const grouped = (digits: string) => digits.replace(/\B(?=(\d{3})+$)/g, ',');

/** `digits` significant ones: 1234.5 is 1,230; 0.0456 is 0.0456. */
export function significant(v: number, digits = 3): string {
    if (v === 0) return '0';
    const rounded = Number(Math.abs(v).toPrecision(digits));
    const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(rounded) + 1e-12));
    const [whole, part] = rounded.toFixed(Math.min(decimals, 12)).split('.');
    return (v < 0 ? '−' : '') + grouped(whole) + (part ? `.${part}` : '');
}

function scaled(steps: [number, string][]) {
    return (v: Number_, digits = 3): string => {
        if (!known(v)) return DASH;
        let k = 0;
        while (k + 1 < steps.length && Math.abs(v) >= steps[k + 1][0] * 0.9995) k++;
        return significant(v / steps[k][0], digits) + NARROW + steps[k][1];
    };
}

export const time = scaled([[1e-9, 'ns'], [1e-6, 'µs'], [1e-3, 'ms'], [1, 's']]); // of seconds
export const bytes = scaled([[1, 'B'], [1e3, 'kB'], [1e6, 'MB'], [1e9, 'GB'], [1e12, 'TB']]);
export const joules = scaled([[1e-6, 'µJ'], [1e-3, 'mJ'], [1, 'J'], [1e3, 'kJ']]);
export const watts = scaled([[1e-3, 'mW'], [1, 'W']]);
export const flops = scaled([[1, 'FLOP'], [1e3, 'kFLOP'], [1e6, 'MFLOP'], [1e9, 'GFLOP'], [1e12, 'TFLOP']]);
export const grams = scaled([[1e-6, 'µg'], [1e-3, 'mg'], [1, 'g'], [1e3, 'kg']]);
export const hertz = scaled([[1, 'Hz'], [1e3, 'kHz'], [1e6, 'MHz'], [1e9, 'GHz']]);

export const micros = (v: Number_) => time(known(v) ? v / 1e6 : undefined);
export const millis = (v: Number_) => time(known(v) ? v / 1e3 : undefined);
export const nanos = (v: Number_) => time(known(v) ? v / 1e9 : undefined);
export const number = (v: Number_) => (known(v) ? significant(v) : DASH);
export const perSecond = (v: Number_) => (known(v) ? `${significant(v)}/s` : DASH);
export const count = (v: Number_) => (known(v) ? grouped(String(Math.round(v))) : DASH);
export const cores = (v: Number_) => (known(v) ? v.toFixed(2) : DASH);

/** A share of 1: one decimal, two below 0.1 %. */
export function share(v: Number_): string {
    if (!known(v)) return DASH;
    const percent = v * 100;
    const text = percent >= 99.95 ? percent.toFixed(0)
        : Math.abs(percent) < 0.1 && percent !== 0 ? percent.toFixed(2) : percent.toFixed(1);
    return text.replace('-', '−') + NARROW + '%';
}

/** A change, 0.07 is +7.0 %: one decimal below 10 %, none above. */
export function change(v: Number_): string {
    if (!known(v)) return '';
    if (Math.abs(v) < 0.0005) return `±0.0${NARROW}%`;
    return signed(v * 100, x => (x < 10 ? x.toFixed(1) : grouped(x.toFixed(0)))) + NARROW + '%';
}

export const signed = (v: number, text: (abs: number) => string) =>
    (v > 0 ? '+' : v < 0 ? '−' : '±') + text(Math.abs(v));

/** now against before, as a change; nothing where one is unknown. */
export const changeOf = (now: Number_, before: Number_) =>
    (known(now) && known(before) && before !== 0 ? change(now / before - 1) : '');

/** "11.4 ms" to its number and its unit, which are set in different sizes. */
export function parts(text: string): [string, string] {
    const at = text.lastIndexOf(NARROW);
    return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

const two = (n: number) => String(n).padStart(2, '0');
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

export function date(ms: number): string {
    const d = new Date(ms);
    return `${d.getDate()} ${MONTHS[d.getMonth()]} ${d.getFullYear()}, ${two(d.getHours())}:${two(d.getMinutes())}`;
}

export function clock(ms: number): string {
    const d = new Date(ms);
    return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}

/** How long ago, in whole units: 42 ms, 5.2 s, 3 min. */
export function age(seconds: number): string {
    if (seconds < 1) return `${Math.max(0, Math.round(seconds * 1000))}${NARROW}ms`;
    if (seconds < 10) return `${seconds.toFixed(1)}${NARROW}s`;
    if (seconds < 120) return `${Math.round(seconds)}${NARROW}s`;
    if (seconds < 7200) return `${Math.round(seconds / 60)}${NARROW}min`;
    return `${Math.round(seconds / 3600)}${NARROW}h`;
}

/** A value of a metric by the unit that the metric's table gives it. */
export function ofUnit(unit: string | undefined, v: Number_): string {
    switch (unit) {
    case 'seconds': return time(v);
    case 'bytes': return bytes(v);
    case 'joules': case 'J': return joules(v);
    case 'watts': case 'joules_per_second': return watts(v);
    case 'ratio': return share(v);
    case 'hertz': return hertz(v);
    case 'celsius': return known(v) ? `${v.toFixed(1)}${NARROW}°C` : DASH;
    case 'us': return micros(v);
    case 'ms': return millis(v);
    default: return unit?.endsWith('_per_second') ? perSecond(v) : number(v);
    }
}

/** About `n` round numbers from a to b. */
export function ticks(a: number, b: number, n: number): number[] {
    if (!(b > a)) return [a];
    const raw = (b - a) / n, power = 10 ** Math.floor(Math.log10(raw)), m = raw / power;
    const step = (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10) * power, out = [];
    for (let v = Math.ceil(a / step - 1e-9) * step; v <= b + step * 1e-6; v += step)
        out.push(Math.abs(v) < step * 1e-9 ? 0 : v);
    return out;
}

/** A number of an axis: nothing behind the point that says nothing. */
export const tick = (text: string) => text.replace(/^0\u202f.*/, '0').replace(/(\.\d*?)0+(?=\D|$)/, '$1').replace(/\.(?=\D|$)/, '');
