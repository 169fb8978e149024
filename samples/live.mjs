// live.mjs -- inferences of running programs, as they come.
//
//     node --experimental-websocket samples/live.mjs http://127.0.0.1:8000 [TOKEN]
//
// Stops when a run has ended.  After a lost connection it goes on where it was:
// `seen` has the last number of each run.
const [base = 'http://127.0.0.1:8000', token] = process.argv.slice(2);
const seen = {};
let again;

function connect() {
    const socket = new WebSocket(base.replace('http', 'ws') + '/ws/metrics',
        ['ortmeter.v1', ...(token ? ['ortmeter.token.' + token] : [])]);
    socket.onopen = () => socket.send(JSON.stringify({
        type: 'subscribe', id: 'all', events: ['inference'], after: seen}));
    socket.onmessage = ({data}) => {
        const message = JSON.parse(data);
        for (const i of message.inferences ?? []) {
            console.log(i.number, i.model_name, i.latency.end_to_end_ms);
            seen[i.run_id] = i.number;
        }
        if (message.type === 'snapshot')
            console.error('listening');
        if (message.type === 'error')
            console.error(message.message);
        if (message.event === 'ended')
            process.exit(0);
    };
    // Of a refused connection node tells an error only, browsers both.
    socket.onclose = socket.onerror = () => {
        clearTimeout(again);
        again = setTimeout(connect, 500);
    };
}

connect();
