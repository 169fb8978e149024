#include "serve/api_text.h"

#include "serve/route.h"
#include "serve/schema.h"

#include <string.h>

static const char head[] =
        "# The API of `ortmeter serve`\n"
        "\n"
        "This page is made from the router's table: `build/api_md "
        ">docs/api.md`.\n"
        "[api-decisions.md](api-decisions.md) says what differs from the first "
        "contract, and why.\n"
        "\n"
        "`ortmeter serve` listens at `http://127.0.0.1:8000`, or the next free "
        "port, and tells\n"
        "the address on stderr.  Behind its `#` is a token for the owner.  "
        "`ortmeter run --serve`\n"
        "and `ortmeter bench --serve` do the same while they work.\n"
        "\n"
        "```sh\n"
        "curl http://127.0.0.1:8000/api/profiling/runs?limit=5\n"
        "curl -H \"Authorization: Bearer $TOKEN\" -X DELETE \\\n"
        "    http://127.0.0.1:8000/api/profiling/run/$RUN_ID\n"
        "```\n\n"
        "```js\n"
        "const answer = await fetch(\n"
        "    'http://127.0.0.1:8000/api/profiling/runs?limit=5');\n"
        "for (const run of (await answer.json()).runs)\n"
        "    console.log(run.run_id, run.status);\n"
        "```\n\n"
        "```python\n"
        "import json, urllib.request\n"
        "with urllib.request.urlopen(\n"
        "        'http://127.0.0.1:8000/api/profiling/runs?limit=5') as "
        "answer:\n"
        "    for run in json.load(answer)['runs']:\n"
        "        print(run['run_id'], run['status'])\n"
        "```\n"
        "\n"
        "- What is not known is left out; there is no null.  Lists are always "
        "there.\n"
        "- A run is named by its id, 4 characters or more of it, or `last`; "
        "PATCH, DELETE and\n"
        "  POST take the whole id.\n"
        "- Unknown, repeated, empty and malformed parameters are 400.\n"
        "- Errors are `application/problem+json`: title, status, code, detail, "
        "parameter?.\n"
        "- Checks come in this order: Host 421, Origin 403, path 404, method "
        "405, token 401,\n"
        "  role 403, rate 429, size 413, type 415, parameters 400, run 404 or "
        "409.\n"
        "- On loopback one is viewer without a token, unless "
        "`--require-token`.  Elsewhere TLS and\n"
        "  a token are needed.  `ortmeter token create NAME --role ROLE` makes "
        "one; it is sent as\n"
        "  `Authorization: Bearer ortm_...`, by a browser's WebSocket as the "
        "sub-protocols\n"
        "  `ortmeter.v1, ortmeter.token.ortm_...`.\n"
        "- Answers are packed by gzip where the client takes that.\n"
        "\n"
        "In the schemas below `s i n b o a` are text, whole number, number, "
        "truth, object and\n"
        "anything; `[ ]` is a list; `?` is absent when unknown.\n"
        "\n"
        "## Routes\n";

static const char sockets[] =
        "\n"
        "## WS /ws/metrics\n"
        "\n"
        "Text frames, a JSON object each.  `samples/live.mjs` and "
        "`samples/live.py` are clients of\n"
        "thirty lines.\n"
        "\n"
        "The client sends\n"
        "\n"
        "```json\n"
        "{\"type\":\"subscribe\",\"id\":\"a\",\"metrics\":[\"host_*\"],"
        "\"events\":[\"system\",\"inference\",\"operation\",\"event\"],"
        "\"runs\":[\"live\"],"
        "\"rate_hz\":10,\"buckets\":false,\"after\":{\"<run id>\":17}}\n"
        "{\"type\":\"unsubscribe\",\"id\":\"a\"}\n"
        "{\"type\":\"ping\",\"t\":5}\n"
        "```\n"
        "\n"
        "The server sends `hello` first; then, of each subscription and "
        "numbered by `seq` without\n"
        "holes: one `snapshot` (runs, series, values, system), then `delta` "
        "(values that changed,\n"
        "`new` series, `gone` series, system, inferences, operations, events; "
        "an empty one every\n"
        "second), `run`\n"
        "(started, ended, silent, back) and `notice` (slow_client, "
        "rate_restored).  A value is\n"
        "`[s, number]`, of a histogram `[s, {count, sum, p50?, p99?}]`, with "
        "`buckets` `[s, {count,\n"
        "sum, new: [bucket, count, ...]}]`.  Every inference comes once, in "
        "order, with its number\n"
        "in the run; `after` names the last one seen, also after a restart of "
        "the server.  So do\n"
        "operations (those that are kept one by one, as in `/timeline`), never "
        "before their\n"
        "inference; `after` may name both: `{\"<run id>\":"
        "{\"inference\":17,\"operation\":230}}`.\n"
        "Events are those of `/api/events`; all of a run that `after` or "
        "`runs` names are told, and\n"
        "one that changed is told again under its id.  A stored run ends with "
        "`run` ended.\n"
        "Messages that are wrong are answered by `error` (bad_json, "
        "bad_message, unknown_metric,\n"
        "unknown_run, too_many_subscriptions).  Closed with 1001 server stops, "
        "1003 binary, 1007 not\n"
        "UTF-8, 1008 too many errors, 1009 too large, 4401 token revoked; a "
        "client that takes nothing\n"
        "for 30 s is dropped.\n"
        "\n"
        "## WS /ws/profiling\n"
        "\n"
        "`{type, timestamp, data}` of every live run from now on: "
        "power_sample, section_start,\n"
        "section_end, token_complete; at a run's end layer_metrics and "
        "component_metrics of what was\n"
        "looked into, with token_id where that is known by token, else of the "
        "whole run; and\n"
        "inference_complete; error.  power_sample comes every tenth of a "
        "second at most, from the\n"
        "sensors that the run's energy is counted by; the phase is known at "
        "the end only, and left\n"
        "out.  The client may narrow:\n"
        "`{\"type\":\"subscribe\",\"run\":\"<id>\","
        "\"types\":[\"token_complete\"]}`.  Slow clients lose the\n"
        "oldest and are told how many.\n";

static void parameter(struct buf *out, const struct param *p)
{
    buf_printf(out, "- `%s`", p->name);
    switch (p->kind) {
    case PARAM_INT:
    case PARAM_REAL:
        buf_printf(out, " (%.15g to %.15g)", p->least, p->most);
        break;
    case PARAM_CHOICE:
    case PARAM_LIST:
        if (p->words)
            buf_printf(out, " (`%s`%s)", p->words,
                    p->kind == PARAM_LIST ? ", with commas" : "");
        else
            buf_text(out, " (with commas)");
        break;
    case PARAM_TEXT:
    case PARAM_TIME:
    case PARAM_RUN: break;
    }
    buf_printf(out, ": %s", p->about);
    if (p->usual)
        buf_printf(out, "; %s if not given", p->usual);
    buf_text(out, p->required ? "; needed\n" : "\n");
}

static void one(struct buf *out, const struct route *r)
{
    buf_printf(out, "\n### %s %s\n\n%c%s.  Role: %s.\n",
            r->flags & ROUTE_SOCKET ? "WS" : r->method, r->path,
            r->about[0] >= 'a' && r->about[0] <= 'z' ? r->about[0] - 32
                                                     : r->about[0],
            r->about + 1, role_name(r->role));
    if (r->params && r->params->name)
        buf_char(out, '\n');
    for (const struct param *p = r->params; p && p->name; p++)
        parameter(out, p);
    if (r->flags & ROUTE_BODY)
        buf_printf(out, "\nBody: `%s`.\n", route_body(r));
    if (r->answer)
        buf_printf(out, "\nAnswer: `%s`\n", r->answer);
    else if (r->type)
        buf_printf(out, "\nAnswer: %s\n", r->type);
}

void api_text(struct buf *out)
{
    buf_text(out, head);
    for (const struct route *r = routes; r->path; r++)
        one(out, r);
    buf_text(out, "\n## Schemas\n\n");
    for (const struct schema *s = schemas; s->name; s++)
        buf_printf(out, "- **%s** `%s`\n", s->name, s->text);
    buf_text(out, sockets);
}
