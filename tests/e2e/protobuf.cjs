// protobuf.cjs -- reads protobuf that ortmeter wrote, with somebody else's
// decoder (protobufjs) and the official field numbers (proto/*.proto).
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const zlib = require('node:zlib');
const npm = process.env.NPM;
const protobuf = require(path.join(npm, 'protobufjs/dist/protobuf.js'));

// Integers of 64 bits are not rounded to doubles: protobufjs takes whatever
// class is there for them.
class Long {
    constructor(low, high, unsigned) {
        Object.assign(this, { low, high, unsigned });
    }
    static fromBits(low, high, unsigned) {
        return new Long(low, high, unsigned);
    }
    static fromNumber(n, unsigned) {
        return new Long(n | 0, 0, unsigned);
    }
    static isLong(x) {
        return x instanceof Long;
    }
    toString() {
        return String(big(this));
    }
    toNumber() {
        return Number(big(this));
    }
}
protobuf.util.Long = Long;
protobuf.configure();

// A number of 64 bits as BigInt.
function big(x) {
    if (!(x instanceof Long))
        return BigInt(x ?? 0);
    const bits = BigInt(x.high >>> 0) << 32n | BigInt(x.low >>> 0);
    return x.unsigned ? bits : BigInt.asIntN(64, bits);
}

function types(file) {
    return protobuf.parse(
        fs.readFileSync(path.join(__dirname, 'proto', file), 'utf8'),
        { keepCase: true }).root;
}

// Like decode(), but a field that the .proto does not know is an error, and
// so is a text that is no UTF-8.
function strictly(type, bytes) {
    const text = new TextDecoder('utf-8', { fatal: true });
    const reader = protobuf.Reader.create(bytes);
    walk(type, reader, reader.len, text);
    return type.decode(bytes);
}

function walk(type, reader, end, text) {
    while (reader.pos < end) {
        const tag = reader.uint32();
        const field = type.fieldsById[tag >>> 3];
        assert(field, `${type.name} has no field ${tag >>> 3}`);
        field.resolve();
        const inner = field.resolvedType;
        if ((tag & 7) !== 2) {
            reader.skipType(tag & 7);
        } else if (inner && inner.fieldsById) {
            const len = reader.uint32();
            walk(inner, reader, reader.pos + len, text);
        } else {
            const bytes = reader.bytes();
            if (field.type === 'string')
                text.decode(bytes);
        }
    }
    assert.strictEqual(reader.pos, end, `${type.name} ends elsewhere`);
}

function read(file) {
    const bytes = fs.readFileSync(file);
    return bytes[0] === 0x1f && bytes[1] === 0x8b ? zlib.gunzipSync(bytes)
        : bytes;
}

module.exports = { big, read, strictly, types };
