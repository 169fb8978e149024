// serve_ajv.cjs -- every GET of the OpenAPI document is asked for, and what is
// answered held against it by Ajv, which knows nothing of us.
//
//     node serve_ajv.cjs AJV BASE RUN OTHER
//
// AJV is the folder of the package; RUN and OTHER are ids of runs.
'use strict';
const [where, base, run, other] = process.argv.slice(2);
const Ajv = require(where + '/dist/2020').default;

// Values for parameters that a route needs, and queries worth a look.
const queries = {
    '/api/compare': [`a=${run}&b=${other}`],
    '/metrics/history': ['', 'metric=host_busy_ratio,inferences_total',
        'metric=inference_duration_seconds&agg=p50,p99,buckets,count' +
        '&form=pieces&width=64', 'metric=cpu_percent&agg=p95&step=0.1',
        'metric=inferences_in_flight,session_busy_seconds_total',
        'metric=traced_inferences_total,others_cpu_cores&step=0',
        'metric=latency.end_to_end_ms&agg=p99&step=60'],
    '/timeline': ['limit=5', 'op=FusedConv&provider=cpu', 'from=0.5s&to=1s'],
    '/api/spans': ['width=100', 'kinds=inference,load', 'clock=net&width=64'],
    '/api/operators': ['', 'by=type', 'by=layer', 'by=component', 'by=same',
        'find=conv&sort=mean&limit=1', 'from=0.2s&to=5s'],
    '/api/tokens': ['', 'rows=component&value=energy_mj&width=16'],
    '/api/profiling/runs': ['', 'limit=1&sort_by=energy', 'tags=night&q=node'],
    '/api/profiling/run/{run_id}': ['', 'parts=run,tokens'],
    '/api/profiling/export/{run_id}': ['', 'shape=inference-events',
        'shape=operations', 'shape=system'],
};
const noRun = ['/api/compare', '/api/profiling/runs', '/api/system',
    '/api/sources', '/healthz', '/api/openapi.json'];

async function main() {
    const api = await (await fetch(base + '/api/openapi.json')).json();
    const ajv = new Ajv({strict: false, allErrors: true});
    let asked = 0, wrong = 0;
    const complain = (...what) => { wrong++; console.log(...what); };
    for (const [path, methods] of Object.entries(api.paths)) {
        if (!methods.get || path.startsWith('/ws/') || path.includes('{file}'))
            continue;
        for (const query of queries[path] ?? ['']) {
            const names = noRun.includes(path) || path.includes('{')
                || path.startsWith('/api/profiling') || path === '/'
                || path === '/metrics/current';
            const url = base + path.replace('{run_id}', run)
                .replace('{panel}', 'energy') + '?' +
                (names ? query : `run=${run}&${query}`);
            const answer = await fetch(url.replace(/[?&]$/, ''));
            const text = await answer.text();
            const told = methods.get.responses[answer.status];
            const type = answer.headers.get('content-type');
            asked++;
            if (!told) {
                complain(path, query, 'undocumented status', answer.status);
                continue;
            }
            if (answer.status >= 500 || (answer.status >= 400 &&
                    !path.endsWith('/pipeline')))
                complain(path, query, answer.status, text);
            const content = told.content[type] ?? told.content['*/*'];
            if (!content)
                complain(path, query, 'undocumented type', type);
            if (!content?.schema)
                continue;
            if (/[:,[]\s*null\b/.test(text))
                complain(path, query, 'null');
            const check = ajv.compile({...content.schema,
                components: api.components});
            if (!check(JSON.parse(text)))
                complain(path, query, JSON.stringify(check.errors.slice(0, 3)));
        }
    }
    console.log(`${asked} answers, ${wrong} wrong`);
    process.exitCode = wrong || asked < 30 ? 1 : 0;
}

main().catch((e) => { console.error(e); process.exitCode = 1; });
