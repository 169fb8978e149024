// tensorboard.cjs FILE -- an event file, read by another's decoder, with every
// checksum recomputed.  Prints, as JSON: scalars {tag: [[step, value]...]} and
// histograms {tag: [[step, num, min, max]...]}.
'use strict';
const assert = require('node:assert');
const { read, strictly, types } = require('./protobuf.cjs');
const Event = types('tensorboard.proto').lookupType('tensorboard.Event');

// CRC-32C, the way of a table: not the one that wrote it.
const table = Uint32Array.from({ length: 256 }, (_, i) => {
    for (let bit = 0; bit < 8; bit++)
        i = i & 1 ? (i >>> 1) ^ 0x82f63b78 : i >>> 1;
    return i;
});

function masked(bytes) {
    let crc = ~0;
    for (const byte of bytes)
        crc = table[(crc ^ byte) & 255] ^ (crc >>> 8);
    crc = ~crc >>> 0;
    return (((crc >>> 15 | crc << 17) >>> 0) + 0xa282ead8) % 2 ** 32;
}

const bytes = read(process.argv[2]);
const scalars = {}, histograms = {};
let events = 0;
for (let at = 0; at < bytes.length; events++) {
    const len = Number(bytes.readBigUInt64LE(at));
    const data = bytes.subarray(at + 12, at + 12 + len);
    assert.strictEqual(bytes.readUInt32LE(at + 8),
        masked(bytes.subarray(at, at + 8)), `length of record ${events}`);
    assert.strictEqual(data.length, len, `record ${events} is cut short`);
    assert.strictEqual(bytes.readUInt32LE(at + 12 + len), masked(data),
        `record ${events}`);
    at += len + 16;
    take(strictly(Event, data), events === 0);
}

function take(event, first) {
    assert(event.wall_time > 1e9, 'time');
    if (first) {
        assert.strictEqual(event.file_version, 'brain.Event:2');
        assert.strictEqual(event.source_metadata.writer, 'ortmeter');
        return;
    }
    for (const { tag, simple_value: scalar, histo } of event.summary.value) {
        assert(tag.includes('/'), tag);
        if (histo)
            (histograms[tag] ??= []).push([Number(event.step), ...sound(histo)]);
        else
            (scalars[tag] ??= []).push([Number(event.step), scalar]);
    }
}

function sound(h) {
    const { bucket, bucket_limit: limit } = h;
    assert.strictEqual(bucket.length, limit.length, 'buckets');
    assert(bucket[0] > 0 && bucket.at(-1) > 0, 'an empty bucket at an end');
    for (let i = 1; i < limit.length; i++)
        assert(limit[i] > limit[i - 1], 'limits do not ascend');
    assert.strictEqual(bucket.reduce((a, b) => a + b), h.num, 'num');
    assert(h.min <= limit[0] && h.max <= limit.at(-1), 'min, max');
    // Variance cannot be negative, beyond rounding.
    assert(h.sum_squares * h.num >= h.sum ** 2 * (1 - 1e-9), 'squares');
    return [h.num, h.min, h.max, h.sum];
}

console.log(JSON.stringify({ events, scalars, histograms }));
