// perfetto.cjs NATIVE CHROME -- a trace in Perfetto's format, read by somebody
// else's decoder in the way Perfetto reads it, says the same as the Chrome
// trace of the run.  Prints how many slices, instants and values there are.
'use strict';
const assert = require('node:assert');
const { big, read, strictly, types } = require('./protobuf.cjs');
const [native, chrome] = process.argv.slice(2);
const { packet: packets } = strictly(
    types('perfetto.proto').lookupType('perfetto.Trace'), read(native));

const BEGIN = 1, END = 2, INSTANT = 3, COUNTER = 4;
const CLEARED = 1, NEEDS_STATE = 2;
const tracks = new Map(); // uuid: {pid, tid, name, counter, events}
const interned = { event_categories: new Map(), event_names: new Map(),
    debug_annotation_names: new Map(),
    debug_annotation_string_values: new Map() };
let epoch; // monotonic time of the run's start

function learn(data) {
    for (const [kind, texts] of Object.entries(interned))
        for (const { iid, name } of data?.[kind] ?? []) {
            assert(!texts.has(String(iid)), `${kind} ${iid} twice`);
            texts.set(String(iid), name);
        }
}

function text(kind, iid) {
    assert(interned[kind].has(String(iid)), `${kind} ${iid} is not known`);
    return interned[kind].get(String(iid));
}

function describe(d) {
    const uuid = String(d.uuid);
    assert(uuid !== '0' && !tracks.has(uuid), `track ${uuid}`);
    const parent = tracks.get(String(d.parent_uuid));
    assert(big(d.parent_uuid) === 0n || parent?.pid !== undefined,
        `parent of ${uuid}`);
    const of = d.process ?? d.thread ?? parent;
    tracks.set(uuid, {
        pid: of?.pid, tid: d.thread?.tid, events: [],
        name: d.process?.process_name ?? d.thread?.thread_name ?? d.name,
        counter: d.counter,
    });
}

function args(event) {
    return Object.fromEntries(event.debug_annotations.map((a) => [
        text('debug_annotation_names', a.name_iid),
        big(a.string_value_iid) ?
            text('debug_annotation_string_values', a.string_value_iid) :
            String(big(a.uint_value) || big(a.int_value))]));
}

packets.forEach((p, i) => {
    assert.strictEqual(p.trusted_packet_sequence_id, 1);
    if (i === 0) {
        assert.strictEqual(p.sequence_flags, CLEARED);
        assert.strictEqual(p.trace_packet_defaults.timestamp_clock_id, 3);
        const clocks = new Map(p.clock_snapshot.clocks.map(
            (c) => [c.clock_id, big(c.timestamp)]));
        assert(clocks.has(6) && clocks.has(3) && clocks.has(1), 'clocks');
        epoch = clocks.get(3);
    }
    learn(p.interned_data);
    if (p.track_descriptor)
        describe(p.track_descriptor);
    if (!p.track_event)
        return;
    assert.strictEqual(p.sequence_flags, NEEDS_STATE);
    const e = p.track_event;
    const track = tracks.get(String(e.track_uuid));
    assert(track, `no track ${e.track_uuid}`);
    assert.strictEqual(e.type === COUNTER, Boolean(track.counter), 'counter');
    track.events.push({
        type: e.type, time: big(p.timestamp) - epoch,
        value: e.double_counter_value,
        ...(e.type === BEGIN || e.type === INSTANT ? {
            name: text('event_names', e.name_iid),
            cat: text('event_categories', e.category_iids[0]),
            args: args(e),
        } : {}),
    });
});

// As the trace processor does: by time, in the order of the file where times
// are equal; an end closes the innermost.
const found = [];
for (const track of tracks.values()) {
    const stack = [];
    track.events.forEach((e, i) => { e.at = i; });
    track.events.sort((a, b) => Number(a.time - b.time) || a.at - b.at);
    for (const e of track.events) {
        assert(e.time >= 0n, 'before the run');
        if (e.type === BEGIN) {
            stack.push(e);
        } else if (e.type === END) {
            const begin = stack.pop();
            assert(begin, 'an end without a beginning');
            found.push(['X', track.name, begin.cat, begin.name, begin.time,
                e.time - begin.time, begin.args]);
        } else if (e.type === INSTANT) {
            found.push(['i', track.name, e.cat, e.name, e.time, 0n, e.args]);
        } else {
            found.push(['C', '', '', track.name, e.time, 0n,
                { [track.counter.unit_name]: e.value }]);
        }
    }
    assert.strictEqual(stack.length, 0, `${track.name}: slices never end`);
}

// --- the same from the other trace ------------------------------------------

const json = JSON.parse(read(chrome).toString());
const names = new Map();
const plain = (value) => typeof value === 'object' ? JSON.stringify(value) :
    value;
for (const e of json.traceEvents)
    if (e.ph === 'M' && e.name === 'thread_name')
        names.set(`${e.pid} ${e.tid}`, e.args.name);
const wanted = json.traceEvents.filter((e) => e.ph !== 'M').map((e) => [
    e.ph, e.ph === 'C' ? '' : names.get(`${e.pid} ${e.tid}`), e.cat ?? '',
    e.name, BigInt(Math.round(e.ts * 1000)),
    BigInt(Math.round((e.dur ?? 0) * 1000)), e.args ?? {}]);

// Instants may lie on a thread without slices, which has no name in JSON.
// Shapes are JSON there and text here: blanks do not matter.
function line([ph, track, cat, name, time, duration, values]) {
    const flat = Object.entries(values).map(([k, v]) =>
        `${k}=${String(plain(v)).replaceAll(/[\s\\]/g, '')}`).sort().join(' ');
    return [ph, ph === 'X' ? track : '', cat, name, time, duration, flat]
        .join('|');
}

const got = found.map(line).sort(), want = wanted.map(line).sort();
for (let i = 0; i < Math.max(got.length, want.length); i++)
    assert.strictEqual(got[i], want[i], `event ${i} of ${want.length}`);
const count = (ph) => found.filter((e) => e[0] === ph).length;
console.log(`${count('X')} slices, ${count('i')} instants, ` +
    `${count('C')} values`);
