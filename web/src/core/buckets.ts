// buckets.ts -- latency as the server counts it: log-linear buckets, numbered as
// src/base/hist.h does, of nanoseconds.  They add up over time, sessions and runs.

export type Buckets = Map<number, number>;

/** The least value of a bucket, in ns. */
export function bucketStart(bucket: number): number {
    if (bucket < 128) return bucket;
    const e = Math.floor(bucket / 64) + 5;
    return (bucket - 64 * (e - 6)) * 2 ** (e - 6);
}

export const bucketMiddle = (bucket: number) =>
    (bucket < 128 ? bucket : (bucketStart(bucket) + bucketStart(bucket + 1)) / 2);

/** Adds `[bucket, count, bucket, count, …]`. */
export function addPairs(into: Buckets, pairs: number[]) {
    for (let i = 0; i + 1 < pairs.length; i += 2)
        into.set(pairs[i], (into.get(pairs[i]) ?? 0) + pairs[i + 1]);
}

export function addBuckets(into: Buckets, from: Buckets | undefined) {
    if (from) for (const [bucket, n] of from) into.set(bucket, (into.get(bucket) ?? 0) + n);
}

export const countOf = (b: Buckets) => {
    let n = 0;
    for (const v of b.values()) n += v;
    return n;
};

/** Quantiles in seconds, by nearest rank; undefined when it is empty. */
export function quantiles(b: Buckets, shares: number[]): (number | undefined)[] {
    const total = countOf(b);
    if (!total) return shares.map(() => undefined);
    const sorted = [...b].sort((x, y) => x[0] - y[0]);
    return shares.map(q => {
        const rank = Math.max(1, Math.ceil(q * total));
        let seen = 0;
        for (const [bucket, n] of sorted)
            if ((seen += n) >= rank) return bucketMiddle(bucket) / 1e9;
        return bucketMiddle(sorted[sorted.length - 1][0]) / 1e9;
    });
}
