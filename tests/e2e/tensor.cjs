// tensor.cjs -- an input of a model from a word: NAME=TYPE:DIMS[:VALUE].
//
// "state=float32:2x1x128"; no dimensions: a scalar.  All elements are VALUE;
// without it int64 is 16000, which is a plausible rate, and float32 a pattern.
'use strict';

module.exports = function tensor(ort, spec) {
    const [name, rest] = spec.split('=');
    const [type, text, value] = rest.split(':');
    const dims = text === '' ? [] : text.split('x').map(Number);
    const size = dims.reduce((a, b) => a * b, 1);
    const data = type === 'int64'
        ? new BigInt64Array(size).fill(BigInt(value ?? 16000))
        : Float32Array.from({length: size},
            (_, i) => value === undefined ? (i % 17) / 17 : Number(value));
    return [name, new ort.Tensor(type, data, dims)];
};
