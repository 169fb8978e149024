"""live.py -- inferences of running programs, as they come: standard library only.

    python3 samples/live.py 127.0.0.1 8000
"""
import base64, json, os, socket, struct, sys


def connect(host, port):
    s = socket.create_connection((host, port))
    key = base64.b64encode(os.urandom(16)).decode()
    s.sendall((f'GET /ws/metrics HTTP/1.1\r\nHost: {host}:{port}\r\n'
               'Upgrade: websocket\r\nConnection: Upgrade\r\n'
               f'Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n'
               'Sec-WebSocket-Protocol: ortmeter.v1\r\n\r\n').encode())
    stream = s.makefile('rb')
    while stream.readline().strip():
        pass
    return s, stream


def send(s, text):
    mask, data = os.urandom(4), text.encode()
    size = struct.pack('>BBH', 0x81, 0xfe, len(data))
    s.sendall(size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))


def frames(stream):
    while head := stream.read(2):
        size = head[1]
        if size == 126: size, = struct.unpack('>H', stream.read(2))
        elif size == 127: size, = struct.unpack('>Q', stream.read(8))
        data = stream.read(size)
        if head[0] & 15 == 1: yield json.loads(data)


s, stream = connect(sys.argv[1], int(sys.argv[2]))
send(s, json.dumps({'type': 'subscribe', 'id': 'all', 'events': ['inference']}))
for message in frames(stream):
    for i in message.get('inferences', []):
        print(i['number'], i.get('model_name'), i['latency']['end_to_end_ms'])
    if message.get('event') == 'ended':
        break
