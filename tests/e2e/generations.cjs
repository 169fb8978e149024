// generations.cjs -- whether a report's times of tokens are those of the program:
// node generations.cjs OUT REPORT INFERENCES DRAFTS
//
// OUT: what tests/programs/generate printed; INFERENCES: what was recorded of
// them, {thread, start, end, traced} in nanoseconds of the program's clock.
//
// Each inference was recorded within the call that made it; the report's figures
// are those that the recorded times give for the texts that the program knows
// of; and they are those of the program's own clock, within 2 % or 20 us.
//
// A busy machine may take the CPU away between the program's clock and the
// meter's, so that a figure of few texts is off in one run, but not in each: if
// only that is wrong, the exit code is 3, and whoever calls tries again.
'use strict';
const fs = require('node:fs');
const [out, report, inferences] = process.argv.slice(2, 5)
    .map((file) => JSON.parse(fs.readFileSync(file)));
const drafts = process.argv[5] === 'drafts';
const SKEW_NS = 20000; // of a clock that is made from the processor's counter
const OTHERS = 30;     // must be there to leave out what tracing slowed
const TIMES_OFF = 3;   // exit code
const PERCENTILES_LEAST = 10; // of fewer, there is neither p90 nor p99

let off = ''; // what is not as the program's clock says

function check(ok, what) {
    if (!ok)
        throw new Error(what);
}

function sum(list) {
    return list.reduce((a, b) => a + b, 0);
}

function median(list) {
    const x = [...list].sort((a, b) => a - b);
    const half = x.length >> 1;
    return x.length % 2 ? x[half] : (x[half - 1] + x[half]) / 2;
}

// The value that a share of all does not exceed; of a half, the median.
function quantile(list, share) {
    const x = [...list].sort((a, b) => a - b);
    return share === 0.5 ? median(list) : x[Math.ceil(share * x.length) - 1];
}

function near(what, ns, byItsClock) {
    if (Math.abs(ns - byItsClock) > Math.max(20000, 0.02 * byItsClock))
        off += `${what}: ${ns} ns, by its clock ${byItsClock}\n`;
}

// The n-th call of a thread is the n-th inference recorded of it.
function join(texts) {
    const calls = texts.flatMap((t) => t.calls).sort((a, b) => a.before - b.before);
    const byThread = new Map();
    for (const i of inferences)
        byThread.set(i.thread, [...byThread.get(i.thread) ?? [], i]);
    for (const c of calls) {
        const i = byThread.get(c.thread)?.shift();
        check(i, `a call of thread ${c.thread} was not recorded`);
        check(i.start >= c.before - SKEW_NS && i.end <= c.after + SKEW_NS,
              `recorded from ${i.start} to ${i.end}, called from ${c.before} to ${c.after}`);
        Object.assign(c, i);
    }
    check([...byThread.values()].every((left) => !left.length),
          'more was recorded than was called');
    return calls;
}

// The times of a text's tokens, by the names of the ends of its calls.
function times(text, from, to) {
    const first = text.calls.findIndex((c) => c.tokens);
    const later = [];
    for (let k = first + 1; k < text.calls.length; k++) {
        const c = text.calls[k];
        if (drafts && k === text.calls.length - 1)
            break; // nobody sees how many of the last drafts were right
        later.push({tokens: c.tokens, traced: c.traced,
                    ns: c[to] - text.calls[k - 1][to]});
    }
    return {ttft: text.calls[first][to] - text.calls[0][from], later};
}

// Tokens a second: while at least one text was being made.
function busy(texts, from, to) {
    const spans = texts.map((x) => [x.calls[0][from], x.calls.at(-1)[to]])
        .sort((a, b) => a[0] - b[0]);
    let sum = 0, until = 0;
    for (const [start, end] of spans) {
        sum += Math.max(0, end - Math.max(start, until));
        until = Math.max(until, end);
    }
    return sum;
}

// What a report says of tokens, in nanoseconds, by the one clock or the other.
function figures(texts, from, to, leaveOut) {
    const all = texts.map((x) => times(x, from, to));
    const gaps = all.flatMap((x) => x.later).filter((l) => !leaveOut || !l.traced);
    const first = all.map((x) => x.ttft);
    const each = gaps.flatMap((l) => Array(l.tokens).fill(Math.floor(l.ns / l.tokens)));
    const few = [];
    const said = {ttft_ms: sum(first) / first.length,
                  tpot_ms: sum(gaps.map((l) => l.ns)) / each.length};
    for (const [name, share] of [['p50', 0.5], ['p90', 0.9], ['p99', 0.99]]) {
        for (const [of, list] of [['ttft', first], ['tpot', each]])
            if (share === 0.5 || list.length >= PERCENTILES_LEAST)
                said[`${of}_${name}_ms`] = quantile(list, share);
            else
                few.push(`${of}_${name}_ms`);
    }
    return {said, few, later: sum(all.flatMap((x) => x.later).map((l) => l.tokens)),
            counted: each.length};
}

function compare(texts) {
    const t = report.tokens;
    const leftOut = t.tpot_left_out ?? 0;
    const ours = figures(texts, 'start', 'end', leftOut);
    const own = figures(texts, 'before', 'after', leftOut);

    for (const [name, ns] of Object.entries(ours.said))
        check(Math.abs(t[name] - ns / 1e6) < 2e-6 * (1 + ns / 1e6),
              `${name} is ${t[name]}, not ${ns / 1e6}`);
    for (const name of ours.few)
        check(!(name in t), `${name} of too few is ${t[name]}`);
    // The tails of a run are whatever the machine did in it.
    for (const name of ['ttft_ms', 'ttft_p50_ms', 'tpot_ms', 'tpot_p50_ms'])
        near(name, 1e6 * t[name], own.said[name]);
    check(leftOut === ours.later - ours.counted,
          `${leftOut} left out, not ${ours.later - ours.counted}`);
    check(!leftOut || ours.counted >= OTHERS, 'too few are left to leave others out');

    const tokens = sum(texts.map((x) => x.batch * sum(x.calls.map(
        (c, k) => drafts && k === x.calls.length - 1 ? 1 : c.tokens))));
    check(t.count === tokens, `${t.count} tokens, not ${tokens}`);
    check(t.generations === texts.length, `${t.generations} generations`);
    check(Math.abs(t.tokens_per_s - tokens * 1e9 / busy(texts, 'start', 'end')) < 0.01,
          `${t.tokens_per_s} tokens/s, not ${tokens * 1e9 / busy(texts, 'start', 'end')}`);
    near('all tokens', tokens * 1e9 / t.tokens_per_s, busy(texts, 'before', 'after'));
}

const texts = out.texts.map(({batch, calls}) => ({
    batch, calls: calls.map(([thread, before, after, tokens]) =>
        ({thread, before, after, tokens})),
}));
const calls = join(texts);
near('the median call', median(calls.map((c) => c.end - c.start)),
     median(calls.map((c) => c.after - c.before)));
compare(texts);
if (off) {
    process.stderr.write(off);
    process.exit(TIMES_OFF);
}
