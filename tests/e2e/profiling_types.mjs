// profiling_types.mjs -- what /ws/profiling says until a run has ended: a JSON
// line each.
//
//     node --experimental-websocket profiling_types.mjs BASE
const [base] = process.argv.slice(2);
const socket = new WebSocket(base.replace('http', 'ws') + '/ws/profiling',
    ['ortmeter.v1']);
socket.onopen = () => console.log('{"type":"open"}');
socket.onmessage = ({data}) => {
    console.log(data);
    if (JSON.parse(data).type === 'inference_complete')
        socket.close();
};
socket.onclose = () => process.exit(0);
