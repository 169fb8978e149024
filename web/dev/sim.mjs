// sim.mjs -- a program that never was: one value for each moment, the same
// whenever it is asked for.  For developing the page; never part of the product.

function random(seed) {
    let s = (seed * 2654435761) >>> 0 || 1;
    return () => {
        s ^= s << 13; s ^= s >>> 17; s ^= s << 5;
        return ((s >>> 0) % 1e6) / 1e6;
    };
}

/** The number of a duration's bucket, as src/base/hist.h counts. */
export function bucketOf(ns) {
    if (ns < 128) return Math.floor(ns);
    const e = Math.floor(Math.log2(ns));
    return 64 * (e - 6) + Math.floor(ns / 2 ** (e - 6));
}

export const STEP = 0.05; // seconds

/** What happened in step k (k × 0.05 s since 1970). */
export function step(k) {
    const r = random(k), t = k * STEP;
    const busy = Math.sin(t / 9) > 0.75 ? 1 : 0;
    const others = busy ? 0.6 + 0.3 * r() : 0.03 * r();
    const decode = Array.from({ length: busy ? 2 : 3 + Math.round(r()) }, () =>
        (11e6 + 2e6 * Math.sin(t / 17)) * (busy ? 2 + r() : 0.9 + 0.3 * r()) * (r() > 0.985 ? 2 + 3 * r() : 1));
    const prefill = k % 60 === 0 ? [45e6 * (0.7 + 0.8 * r())] : [];
    const vad = Array.from({ length: 1 + Math.round(r()) }, () => 600e3 * (0.9 + 0.4 * r()));
    return {
        decode, prefill, vad, others, cpu: 1.5 - (busy ? 0.4 : 0) + 0.1 * r(), rss: 350e6 + 4e6 * Math.sin(t / 40), rss2: 93e6,
        cores: [0.7 + 0.3 * r(), 0.6 + 0.4 * r()], flight: 1 + (r() > 0.7 ? 1 : 0), gpu: 0.4 + 0.2 * Math.sin(t / 5), npu: 0.2 + 0.1 * r(),
        watts: 18 + 6 * Math.sin(t / 9) + r(), memory: 2.1 + 0.1 * r(),
        slow: decode.filter(d => d > 30e6).slice(0, 1).map(d => ({ id: `live/slow/${k}`, run_id: 'live', timestamp_ns: Math.round(t * 1e9), duration_ms: d / 1e6, kind: 'slow', session: 1, inference: k, phase: 'decode', expected_ms: 11, causes: busy ? [{ cause: 'other_programs' }] : [] })),
    };
}
