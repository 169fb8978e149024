// otlp.cjs metrics|traces PROTOBUF [JSON] -- what was written or posted for
// OpenTelemetry, read by another's decoder; where the JSON is there too, both
// say the same.  Prints it in a form that is easy to look at:
//     metrics  [{name, unit, kind, attributes{}, value | count, sum, buckets}]
//     traces   [{id, parent, name, start, end, attributes{}, error, events[]}]
'use strict';
const assert = require('node:assert');
const { big, read, strictly, types } = require('./protobuf.cjs');
const [what, file, other] = process.argv.slice(2);
const root = types('otlp.proto');

function value(v) {
    if (v.string_value !== undefined && v.value === 'string_value')
        return v.string_value;
    if (v.value === 'int_value')
        return Number(big(v.int_value));
    return v.value === 'double_value' ? v.double_value : v.bool_value;
}

function attributes(list) {
    const keys = list.map((a) => a.key);
    assert.strictEqual(new Set(keys).size, keys.length, `twice in ${keys}`);
    return Object.fromEntries(list.map((a) => [a.key, value(a.value)]));
}

const hex = (bytes) => Buffer.from(bytes).toString('hex');

function metrics(bytes) {
    const request = strictly(
        root.lookupType('otlp.ExportMetricsServiceRequest'), bytes);
    const points = [];
    for (const r of request.resource_metrics)
        for (const m of r.scope_metrics.flatMap((s) => s.metrics)) {
            const data = m[m.data];
            if (m.data !== 'gauge')
                assert.strictEqual(data.aggregation_temporality, 2, m.name);
            if (m.data === 'sum')
                assert(data.is_monotonic, m.name);
            assert(m.description && data.data_points.length, m.name);
            for (const p of data.data_points)
                points.push({
                    resource: attributes(r.resource.attributes),
                    name: m.name, unit: m.unit, kind: m.data,
                    attributes: attributes(p.attributes),
                    time: String(big(p.time_unix_nano)),
                    ...(m.data === 'histogram' ? histogram(p) :
                        { value: p.as_double }),
                });
        }
    return points;
}

function histogram(p) {
    const buckets = p.bucket_counts.map((n) => Number(big(n)));
    assert.strictEqual(buckets.length, p.explicit_bounds.length + 1);
    assert.strictEqual(buckets.reduce((a, b) => a + b), Number(big(p.count)));
    assert(big(p.start_time_unix_nano) <= big(p.time_unix_nano));
    return { count: Number(big(p.count)), sum: p.sum, min: p.min, max: p.max,
        bounds: p.explicit_bounds, buckets };
}

function traces(bytes) {
    const request = strictly(root.lookupType('otlp.ExportTraceServiceRequest'),
        bytes);
    const spans = request.resource_spans.flatMap((r) => r.scope_spans)
        .flatMap((s) => s.spans);
    const ids = new Set(spans.map((s) => hex(s.span_id)));
    assert.strictEqual(ids.size, spans.length, 'ids are not unique');
    for (const s of spans) {
        const parent = hex(s.parent_span_id);
        assert.strictEqual(s.span_id.length, 8);
        assert.strictEqual(s.trace_id.length, 16);
        assert(!parent || ids.has(parent), `${s.name} has no parent ${parent}`);
        assert(s.kind === 1 && s.name, 'kind, name');
        assert(big(s.start_time_unix_nano) <= big(s.end_time_unix_nano));
    }
    return spans.map((s) => ({
        trace: hex(s.trace_id), id: hex(s.span_id),
        parent: hex(s.parent_span_id), name: s.name,
        start: String(big(s.start_time_unix_nano)),
        end: String(big(s.end_time_unix_nano)),
        attributes: attributes(s.attributes),
        error: s.status ? [s.status.code, s.status.message] : undefined,
        events: s.events.map((e) => e.name),
    }));
}

// --- JSON, by its own rules --------------------------------------------------

function json_value(v) {
    return v.stringValue ?? (v.intValue === undefined ? v.doubleValue :
        Number(v.intValue));
}

const json_attributes = (list) => Object.fromEntries(
    (list ?? []).map((a) => [a.key, json_value(a.value)]));

function metrics_of(lines) {
    return lines.flatMap((l) => l.resourceMetrics ?? []).flatMap((r) =>
        r.scopeMetrics.flatMap((s) => s.metrics).flatMap((m) => {
            const kind = ['gauge', 'sum', 'histogram'].find((k) => m[k]);
            return m[kind].dataPoints.map((p) => ({
                resource: json_attributes(r.resource.attributes),
                name: m.name, unit: m.unit, kind,
                attributes: json_attributes(p.attributes),
                time: p.timeUnixNano,
                ...(kind === 'histogram' ? {
                    count: Number(p.count), sum: p.sum, min: p.min, max: p.max,
                    bounds: p.explicitBounds,
                    buckets: p.bucketCounts.map(Number),
                } : { value: p.asDouble }),
            }));
        }));
}

function traces_of(lines) {
    return lines.flatMap((l) => l.resourceSpans ?? [])
        .flatMap((r) => r.scopeSpans).flatMap((s) => s.spans).map((s) => ({
            trace: s.traceId, id: s.spanId, parent: s.parentSpanId ?? '',
            name: s.name, start: s.startTimeUnixNano, end: s.endTimeUnixNano,
            attributes: json_attributes(s.attributes),
            error: s.status ? [s.status.code, s.status.message ?? ''] :
                undefined,
            events: (s.events ?? []).map((e) => e.name),
        }));
}

const found = what === 'metrics' ? metrics(read(file)) : traces(read(file));
if (other) {
    const lines = read(other).toString().split('\n').filter(Boolean)
        .map((line) => JSON.parse(line));
    const same = what === 'metrics' ? metrics_of(lines) : traces_of(lines);
    assert.strictEqual(same.length, found.length, 'as many in JSON');
    same.forEach((x, i) => assert.deepStrictEqual(x, found[i]));
}
console.log(JSON.stringify(found));
