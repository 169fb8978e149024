// serve_events.mjs -- all that /ws/metrics says of runs until one has ended: a
// line each of inferences, operations and events, as JSON with their list's name.
//
//     node --experimental-websocket serve_events.mjs BASE EVENTS [AFTER]
//
// EVENTS: with commas.  AFTER: as in the contract, JSON.  Checks what holds of
// every message: `seq` has no holes, and no operation comes before its inference.
import assert from 'node:assert';

const [base, events, after = '{}'] = process.argv.slice(2);
const socket = new WebSocket(base.replace('http', 'ws') + '/ws/metrics',
    ['ortmeter.v1']);
const wanted = events.split(',');
const seen = new Map(Object.entries(JSON.parse(after)).map(
    ([run, at]) => [run, at.inference ?? at]));
let seq = 0;

socket.onopen = () => socket.send(JSON.stringify({
    type: 'subscribe', id: 'a', events: wanted, after: JSON.parse(after)}));
socket.onmessage = ({data}) => {
    const message = JSON.parse(data);
    assert(!data.includes('null'), data);
    if (message.type === 'hello')
        return;
    assert.notStrictEqual(message.type, 'error', data);
    assert.strictEqual(message.seq, seq++, data);
    for (const list of ['inferences', 'operations', 'events'])
        for (const item of message[list] ?? []) {
            if (list === 'inferences')
                seen.set(item.run_id, item.number);
            else if (list === 'operations' && wanted.includes('inference'))
                assert(item.inference <= Math.max(...seen.values()), data);
            console.log(JSON.stringify({list, ...item}));
        }
    if (message.type === 'snapshot')
        console.log('{"list":"snapshot"}');
    if (message.event === 'ended') {
        console.log(JSON.stringify({list: 'ended', run: message.run.run_id}));
        socket.close();
    }
};
socket.onclose = () => process.exit(0);
socket.onerror = (e) => { console.error(e.message); process.exit(1); };
