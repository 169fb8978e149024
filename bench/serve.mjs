// serve.mjs -- what the server gives to its clients, and what that costs.
//
//     node bench/serve.mjs BUILD FOLDER SECONDS [IDLE-SECONDS]
//
// A program of 100 inferences a second is recorded by one process and served by
// another.  Prints a table: the time from the end of an inference to its arrival
// at a client, with 1, 50 and 50 clients and one that never reads; the server's
// CPU time; answers a second, as a ratio to nginx with a file of that size and
// its access log on; idle WebSockets; memory at the begin and at the end.
import {execFileSync, spawn} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';

const [build, folder, seconds, idleSeconds = seconds] = process.argv.slice(2);
const ortmeter = build + '/ortmeter';
Object.assign(process.env, {ORTMETER_DB: folder + '/serve.db',
    XDG_STATE_HOME: folder, XDG_RUNTIME_DIR: folder});
const started = [];

function start(command, args) {
    const child = spawn(command, args, {stdio: ['ignore', 'ignore', 'pipe']});
    started.push(child);
    return child;
}

function serving(child) {
    return new Promise((done, failed) => {
        let text = '';
        child.stderr.on('data', (data) => {
            text += data;
            const found = /serving at http:\/\/127.0.0.1:(\d+)\//.exec(text);
            if (found)
                done(Number(found[1]));
        });
        child.on('exit', () => failed(new Error('no server: ' + text)));
    });
}

// --- a WebSocket client that need not read ---------------------------------

function frame(text) {
    const body = Buffer.from(text), mask = randomBytes(4);
    const head = body.length < 126 ? Buffer.from([0x81, 0x80 | body.length])
        : Buffer.from([0x81, 0xfe, body.length >> 8, body.length & 255]);
    return Buffer.concat([head, mask, body.map((b, i) => b ^ mask[i & 3])]);
}

// Takes whole frames off what came; the rest is kept.
function messages(state, data, take) {
    state.bytes = state.bytes.length ? Buffer.concat([state.bytes, data]) : data;
    for (;;) {
        const b = state.bytes;
        let len = b.length > 1 ? b[1] & 127 : 0, at = 2;
        if (len === 126 && b.length >= 4)
            [len, at] = [b.readUInt16BE(2), 4];
        else if (len === 127 && b.length >= 10)
            [len, at] = [Number(b.readBigUInt64BE(2)), 10];
        else if (len > 125)
            return;
        if (b.length < at + len || b.length < 2)
            return;
        if ((b[0] & 15) === 1)
            take(b.toString('utf8', at, at + len));
        state.bytes = b.subarray(at + len);
    }
}

function connect(port, take) {
    return new Promise((done, failed) => {
        const socket = net.connect(port, '127.0.0.1');
        const state = {bytes: Buffer.alloc(0)};
        let open = false;
        socket.write('GET /ws/metrics HTTP/1.1\r\nHost: 127.0.0.1:' + port +
            '\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
            'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: ' +
            'ortmeter.v1\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n');
        socket.on('error', failed);
        socket.on('close', () => failed(new Error('closed')));
        socket.on('data', (data) => {
            if (!open) {
                const end = data.indexOf('\r\n\r\n');
                if (!data.toString('latin1').startsWith('HTTP/1.1 101'))
                    return failed(new Error(data.toString('latin1', 0, 60)));
                open = true;
                done(socket);
                data = data.subarray(end + 4);
            }
            messages(state, data, take);
        });
    });
}

const subscribe = frame(JSON.stringify({type: 'subscribe', id: 'a',
    events: ['inference'], rate_hz: 100}));

// --- what is measured --------------------------------------------------------

function quantile(sorted, q) {
    return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

function wallMs() {
    return performance.timeOrigin + performance.now();
}

function cpuMs(pid) {
    const fields = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
        .replace(/^.*\) /, '').split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
}

function rssMb(pid) {
    return Number(/VmRSS:\s+(\d+)/.exec(
        fs.readFileSync(`/proc/${pid}/status`, 'latin1'))[1]) / 1024;
}

// From the end of an inference to its arrival, at all clients.
async function latency(port, pid, clients, deaf) {
    const times = [], sockets = [], dead = [];
    let counts = false;
    function take(text) {
        const now = wallMs();
        if (counts && text.includes('"inferences"'))
            for (const i of JSON.parse(text).inferences ?? [])
                times.push(now - i.timestamp_ns / 1e6 -
                    i.latency.end_to_end_ms);
    }
    for (let i = 0; i < clients; i++)
        sockets.push(await connect(port, take));
    for (let i = 0; i < deaf; i++) {
        const one = await connect(port, () => {});
        one.pause();
        dead.push(one);
    }
    for (const s of [...sockets, ...dead])
        s.write(subscribe);
    await sleep(2000);
    counts = true;
    const cpu = cpuMs(pid), from = performance.now();
    await sleep(seconds * 1000);
    const share = (cpuMs(pid) - cpu) / (performance.now() - from);
    counts = false;
    for (const s of [...sockets, ...dead])
        s.removeAllListeners('close').destroy();
    times.sort((a, b) => a - b);
    return {clients, deaf, events: times.length, p50_ms: quantile(times, 0.5),
        p99_ms: quantile(times, 0.99), server_cpu: share};
}

async function idle(port, pid, count) {
    const before = rssMb(pid), sockets = [];
    for (let i = 0; i < count; i++) {
        const s = await connect(port, () => {}).catch(() => null);
        if (s)
            sockets.push(s);
    }
    let lost = 0;
    for (const s of sockets)
        s.on('close', () => lost++);
    await sleep(1000);
    const begin = rssMb(pid);
    await sleep(idleSeconds * 1000);
    const end = rssMb(pid), held = sockets.length - lost;
    for (const s of sockets)
        s.removeAllListeners('close').destroy();
    return {asked: count, held, before_mb: before, begin_mb: begin,
        end_mb: end, seconds: Number(idleSeconds)};
}

function wrk(url) {
    const text = execFileSync('wrk', ['-t1', '-c16', '-d5s', url],
        {encoding: 'utf8'});
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(text)[1]);
}

function has(command) {
    try {
        execFileSync('sh', ['-c', 'command -v ' + command]);
        return true;
    } catch {
        return false;
    }
}

async function throughput(port) {
    if (!has('nginx') || !has('wrk'))
        return {absent: 'no nginx or no wrk here: tools/deps.sh bench'};
    const ours = `http://127.0.0.1:${port}/metrics/current`;
    const body = Buffer.from(await (await fetch(ours)).arrayBuffer());
    const other = port + 1000;
    fs.writeFileSync(folder + '/file.json', body);
    fs.writeFileSync(folder + '/nginx.conf', `daemon off; worker_processes 1;
pid ${folder}/nginx.pid; error_log ${folder}/nginx.err;
events { worker_connections 256; }
http { access_log ${folder}/nginx.log; client_body_temp_path ${folder};
proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
uwsgi_temp_path ${folder}; scgi_temp_path ${folder}; keepalive_requests 1000000;
server { listen 127.0.0.1:${other}; root ${folder}; } }`);
    const nginx = start('nginx', ['-c', folder + '/nginx.conf', '-e',
        folder + '/nginx.err']);
    await sleep(1000);
    const pairs = [];
    for (let i = 0; i < 3; i++)
        pairs.push([wrk(ours), wrk(`http://127.0.0.1:${other}/file.json`)]);
    nginx.kill();
    const ratios = pairs.map(([a, b]) => a / b).sort((a, b) => a - b);
    return {bytes: body.length, ours: pairs.map((p) => p[0]),
        nginx: pairs.map((p) => p[1]), ratio: ratios[1]};
}

async function main() {
    const server = start(ortmeter, ['serve']);
    const port = await serving(server);
    const program = start(ortmeter, ['run', '-q', '--', build + '/bench/paced',
        build + '/bench/libbench_ort.so', '100', '100000']);
    await sleep(1500);
    const all = {};
    all.latency = [await latency(port, server.pid, 1, 0),
        await latency(port, server.pid, 50, 0),
        await latency(port, server.pid, 50, 1)];
    all.throughput = await throughput(port);
    all.idle = await idle(port, server.pid, 1000);
    program.kill();
    print(all);
}

function print(all) {
    for (const x of all.latency)
        console.log(`event to client, ${x.clients} clients` +
            `${x.deaf ? ' and one that never reads' : ''}: p50 ` +
            `${x.p50_ms.toFixed(1)} ms, p99 ${x.p99_ms.toFixed(1)} ms ` +
            `(aim < 50), ${x.events} events, server ` +
            `${(100 * x.server_cpu).toFixed(1)} % of a core`);
    const t = all.throughput;
    console.log(t.absent ? 'requests: ' + t.absent
        : `/metrics/current, ${t.bytes} bytes: ${t.ours.map(Math.round)} ` +
            `requests/s, nginx ${t.nginx.map(Math.round)}: ratio ` +
            `${t.ratio.toFixed(2)} (aim >= 0.25)`);
    const i = all.idle;
    console.log(`idle WebSockets: ${i.held} of ${i.asked} held for ` +
        `${i.seconds} s, memory ${i.before_mb.toFixed(1)} MB before, ` +
        `${i.begin_mb.toFixed(1)} MB with them, ${i.end_mb.toFixed(1)} MB ` +
        `at the end`);
    if (process.env.BENCH_JSON)
        fs.writeFileSync(process.env.BENCH_JSON, JSON.stringify(all));
}

main().catch((e) => {
    console.error('bench/serve.mjs: ' + e.message);
    process.exitCode = 1;
}).finally(() => {
    for (const child of started)
        child.kill();
});
