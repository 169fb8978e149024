// serve_roles.cjs -- every route of the table, asked for with every role.
//
//     node serve_roles.cjs BASE RUN VIEWER OPERATOR ADMIN
//
// The last three are tokens.  A role that does not do gets 403, none at all what
// a viewer gets (or 401, with the word `closed` behind), all others anything but
// these.  Nothing is changed: the run that PATCH and DELETE name is not there.
'use strict';
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
process.removeAllListeners('warning');
const [base, run, viewer, operator, admin, closed] = process.argv.slice(2);
const ranks = {none: 0, viewer: 1, operator: 2, admin: 3};
const who = [['none', null, closed ? 0 : 1], ['viewer', viewer, 1],
    ['operator', operator, 2], ['admin', admin, 3], ['wrong',
        viewer.slice(0, -1) + (viewer.endsWith('A') ? 'B' : 'A'), -1]];

async function main() {
    const api = await (await fetch(base + '/api/openapi.json',
        {headers: {Authorization: 'Bearer ' + viewer}})).json();
    let asked = 0, wrong = 0;
    // The wrong token is for few: ten of them lock the address out.
    for (const [path, methods] of Object.entries(api.paths))
        for (const [method, route] of Object.entries(methods))
            for (const [name, token, rank] of who) {
                if (rank < 0 && (asked > 30 || route['x-role'] === 'none'))
                    continue;
                const change = method !== 'get';
                const url = base + path.replace('{run_id}', change
                    ? '00000000-0000-4000-8000-000000000000' : run)
                    .replace(/\{\w+\}/, 'x');
                const answer = await fetch(url, {method: method.toUpperCase(),
                    headers: {...(token && {Authorization: 'Bearer ' + token}),
                        ...(['patch', 'post'].includes(method) &&
                            {'Content-Type': 'application/json'})},
                    ...(['patch', 'post'].includes(method) && {body: '{}'})});
                await answer.arrayBuffer();
                const needs = ranks[route['x-role']];
                const expected = needs === 0 ? [] : rank <= 0 ? [401]
                    : rank < needs ? [403] : [];
                const refused = [401, 403].includes(answer.status);
                asked++;
                if (expected.length ? !expected.includes(answer.status)
                    : refused || answer.status >= 500) {
                    wrong++;
                    console.log(method, path, name, answer.status);
                }
            }
    console.log(`${asked} requests, ${wrong} wrong`);
    process.exitCode = wrong || asked < 100 ? 1 : 0;
}

main().catch((e) => { console.error(e); process.exitCode = 1; });
