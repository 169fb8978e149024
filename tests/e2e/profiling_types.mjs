// profiling_types.mjs -- what /ws/profiling says until a run has ended, or there
// were that many errors: a JSON line each.  TEXTs are said to it first.
//
//     node --experimental-websocket profiling_types.mjs BASE [ERRORS [TEXT...]]
const [base, most, ...texts] = process.argv.slice(2);
const socket = new WebSocket(base.replace('http', 'ws') + '/ws/profiling',
    ['ortmeter.v1']);
let errors = 0;
socket.onopen = () => {
    texts.forEach((text) => socket.send(text));
    console.log('{"type":"open"}');
};
socket.onmessage = ({data}) => {
    const {type} = JSON.parse(data);
    console.log(data);
    errors += type === 'error';
    if (type === 'inference_complete' || errors === Number(most))
        socket.close();
};
socket.onclose = () => process.exit(0);
