// span_tree.ts -- spans of one track, with a tree of sums over them: what is
// narrower than a pixel is drawn as one, however many there are.
//
// The tree is binary over consecutive spans, in arrays: node 1 is the root, the
// leaves are the spans.  Drawing visits only nodes that are wider than a pixel,
// some two for each pixel, so that 100,000 spans cost what 2,000 do.

import type { SpanTrack } from '../core/types';

export class SpanTree {
    readonly start: Float64Array;
    readonly end: Float64Array;
    readonly of: Float64Array;
    readonly length: number;
    private readonly leaves: number;
    private readonly nodeStart: Float64Array;
    private readonly nodeEnd: Float64Array;
    private readonly longest: Int32Array; // the span that a node is drawn as

    constructor(readonly track: SpanTrack) {
        const n = (this.length = track.start_ns.length);
        this.start = new Float64Array(n);
        this.end = new Float64Array(n);
        this.of = Float64Array.from(track.of, Number);
        let at = 0;
        for (let i = 0; i < n; i++) {
            this.start[i] = at += track.start_ns[i];
            this.end[i] = at + track.duration_ns[i];
        }
        let leaves = 1;
        while (leaves < n) leaves *= 2;
        this.leaves = leaves;
        this.nodeStart = new Float64Array(2 * leaves).fill(Infinity);
        this.nodeEnd = new Float64Array(2 * leaves).fill(-Infinity);
        this.longest = new Int32Array(2 * leaves).fill(-1);
        for (let i = 0; i < n; i++) {
            this.nodeStart[leaves + i] = this.start[i];
            this.nodeEnd[leaves + i] = this.end[i];
            this.longest[leaves + i] = i;
        }
        for (let k = leaves - 1; k >= 1; k--) {
            const a = 2 * k, b = a + 1;
            this.nodeStart[k] = Math.min(this.nodeStart[a], this.nodeStart[b]);
            this.nodeEnd[k] = Math.max(this.nodeEnd[a], this.nodeEnd[b]);
            const x = this.longest[a], y = this.longest[b];
            this.longest[k] = y < 0 || (x >= 0 && this.duration(x) >= this.duration(y)) ? x : y;
        }
    }

    duration(i: number) {
        return this.end[i] - this.start[i];
    }

    /** Calls `draw` for each span in [from, to) that is at least `least` ns
     * wide, and once for each stretch of narrower ones; `many` says which. */
    visit(from: number, to: number, least: number, draw: (start: number, end: number, span: number, many: boolean) => void) {
        if (!this.length) return;
        const stack = [1];
        while (stack.length) {
            const k = stack.pop()!;
            const a = this.nodeStart[k], b = this.nodeEnd[k];
            if (a >= to || b <= from || a === Infinity) continue;
            if (k >= this.leaves) draw(a, b, k - this.leaves, false);
            else if (b - a < least) draw(a, b, this.longest[k], true);
            else stack.push(2 * k + 1, 2 * k); // the earlier one first
        }
    }

    /** The first span that ends behind a moment. */
    firstEndingAfter(time: number): number {
        let a = 0, b = this.length;
        while (a < b) {
            const m = (a + b) >> 1;
            if (this.end[m] <= time) a = m + 1;
            else b = m;
        }
        return a;
    }

    /** The first span that begins at a moment or later. */
    firstStartingAt(time: number): number {
        let a = 0, b = this.length;
        while (a < b) {
            const m = (a + b) >> 1;
            if (this.start[m] < time) a = m + 1;
            else b = m;
        }
        return a;
    }

    /** The span under a moment, or within `slack` of it; the innermost one. */
    at(time: number, slack: number): number | undefined {
        let best: number | undefined;
        for (let i = this.firstStartingAt(time + slack) - 1, seen = 0; i >= 0 && seen < 64; i--, seen++)
            if (this.end[i] >= time - slack && (best === undefined || this.duration(i) < this.duration(best))) best = i;
        return best;
    }
}
