// generations.cjs -- whether a report's times of tokens are those of the program:
// node generations.cjs OUT REPORT INFERENCES DRAFTS
//
// OUT: what tests/programs/generate printed; INFERENCES: what was recorded of
// them, {thread, start, end, traced} in nanoseconds of the program's clock.
//
// A busy machine takes the CPU away at any moment, also between the program's
// clock and the meter's, so two means of one run may differ by any amount.  So:
// each inference was recorded within the call that made it; the median call is
// as long by either clock, within 2 % or 20 us; and the report's figures are
// those that the recorded times give for the texts that the program knows of.
// The few first tokens are compared with the program's clock where JUDGE_TIMES
// is set, as by `make bench`, on a machine that does nothing else.
'use strict';
const fs = require('node:fs');
const [out, report, inferences] = process.argv.slice(2, 5)
    .map((file) => JSON.parse(fs.readFileSync(file)));
const drafts = process.argv[5] === 'drafts';
const SKEW_NS = 20000; // of a clock that is made from the processor's counter
const OTHERS = 30;     // must be there to leave out what tracing slowed

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

function near(a, b) { // nanoseconds
    return Math.abs(a - b) <= Math.max(20000, 0.02 * b);
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

function compare(texts) {
    const t = report.tokens;
    const own = texts.map((x) => times(x, 'before', 'after'));
    const ours = texts.map((x) => times(x, 'start', 'end'));
    const leftOut = t.tpot_left_out ?? 0;
    const counts = (l) => !leftOut || !l.traced;
    const gaps = ours.flatMap((x) => x.later).filter(counts);
    const ownGaps = own.flatMap((x) => x.later).filter(counts);
    const each = (list) => median(list.flatMap(
        (l) => Array(l.tokens).fill(Math.floor(l.ns / l.tokens))));
    const same = (name, ms) => check(Math.abs(t[name] - ms) < 2e-6 * (1 + ms),
                                     `${name} is ${t[name]}, not ${ms}`);
    const left = sum(ours.flatMap((x) => x.later)
        .filter((l) => !counts(l)).map((l) => l.tokens));

    same('ttft_ms', sum(ours.map((x) => x.ttft)) / ours.length / 1e6);
    same('ttft_p50_ms', median(ours.map((x) => x.ttft)) / 1e6);
    same('tpot_ms', sum(gaps.map((l) => l.ns)) /
                    sum(gaps.map((l) => l.tokens)) / 1e6);
    same('tpot_p50_ms', each(gaps) / 1e6);
    check(leftOut === left, `${leftOut} left out, not ${left}`);
    check(!leftOut || sum(gaps.map((l) => l.tokens)) >= OTHERS,
          'too few are left to leave others out');
    check(near(t.tpot_p50_ms * 1e6, each(ownGaps)),
          `median time of a token: ${t.tpot_p50_ms} ms, by its clock ${each(ownGaps) / 1e6}`);
    check(!process.env.JUDGE_TIMES ||
          near(t.ttft_p50_ms * 1e6, median(own.map((x) => x.ttft))),
          `median to the first: ${t.ttft_p50_ms} ms, by its clock ${median(own.map((x) => x.ttft)) / 1e6}`);

    // Tokens a second: while at least one text was being made.
    const tokens = sum(texts.map((x) => x.batch * sum(x.calls.map(
        (c, k) => drafts && k === x.calls.length - 1 ? 1 : c.tokens))));
    const spans = texts.map((x) => [x.calls[0].start, x.calls.at(-1).end])
        .sort((a, b) => a[0] - b[0]);
    let busy = 0, until = 0;
    for (const [from, to] of spans) {
        busy += Math.max(0, to - Math.max(from, until));
        until = Math.max(until, to);
    }
    check(t.count === tokens, `${t.count} tokens, not ${tokens}`);
    check(t.generations === texts.length, `${t.generations} generations`);
    check(Math.abs(t.tokens_per_s - tokens * 1e9 / busy) < 0.01,
          `${t.tokens_per_s} tokens/s, not ${tokens * 1e9 / busy}`);
}

const texts = out.texts.map(({batch, calls}) => ({
    batch, calls: calls.map(([thread, before, after, tokens]) =>
        ({thread, before, after, tokens})),
}));
const calls = join(texts);
check(near(median(calls.map((c) => c.end - c.start)),
           median(calls.map((c) => c.after - c.before))),
      'the median call is not as long by either clock');
compare(texts);
