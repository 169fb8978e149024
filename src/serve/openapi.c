#include "serve/openapi.h"

#include "serve/answer/run_about.h"
#include "serve/schema.h"

#include <ctype.h>
#include <string.h>

struct writing {
    struct json json;
    bool sound;
};

/* --- parameters ----------------------------------------------------------- */

static void words(struct json *j, const char *list)
{
    json_array(j, "enum");
    for (struct str rest = str_of(list); rest.len; rest = str_after(rest, '|'))
        json_str(j, NULL, str_before(rest, '|'));
    json_end(j);
}

static void param_schema(struct json *j, const struct param *p)
{
    json_object(j, "schema");
    switch (p->kind) {
    case PARAM_INT:
    case PARAM_REAL:
        json_text(j, "type", p->kind == PARAM_INT ? "integer" : "number");
        json_real(j, "minimum", p->least);
        json_real(j, "maximum", p->most);
        break;
    case PARAM_CHOICE:
        json_text(j, "type", "string");
        words(j, p->words);
        break;
    case PARAM_LIST:
        json_text(j, "type", "array");
        json_int(j, "minItems", 1);
        json_real(j, "maxItems", p->most);
        json_object(j, "items");
        json_text(j, "type", "string");
        if (p->words)
            words(j, p->words);
        else
            json_text(j, "pattern", "^[^,\\x00-\\x1f\\x7f]+$");
        json_end(j);
        break;
    case PARAM_TIME:
        json_text(j, "type", "string");
        json_text(j, "pattern",
                "^(20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9])"
                "(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?|[0-9]{16,18}|"
                "-[0-9]{1,4}(\\.[0-9]{1,9})?[smhd]|[0-9]{1,6}(\\.[0-9]{1,9})?s)"
                "$");
        break;
    case PARAM_RUN:
        json_text(j, "type", "string");
        json_text(j, "pattern", "^(last|[0-9a-f-]{4,36})$");
        break;
    case PARAM_TEXT:
        json_text(j, "type", "string");
        json_int(j, "minLength", 1);
        json_real(j, "maxLength", p->most);
        json_text(j, "pattern", "^[^\\x00-\\x1f\\x7f]+$");
        break;
    }
    json_end(j);
}

static void query_param(struct json *j, const struct param *p)
{
    json_object(j, NULL);
    json_text(j, "name", p->name);
    json_text(j, "in", "query");
    json_bool(j, "required", p->required);
    json_text(j, "description", p->about);
    if (p->kind == PARAM_LIST) {
        json_text(j, "style", "form");
        json_bool(j, "explode", false);
    }
    param_schema(j, p);
    json_end(j);
}

static void path_param(struct json *j, const struct route *r)
{
    const char *open = strchr(r->path, '{');

    if (!open)
        return;
    json_object(j, NULL);
    json_str(j, "name",
            (struct str){ open + 1, (size_t)(strchr(open, '}') - open - 1) });
    json_text(j, "in", "path");
    json_bool(j, "required", true);
    json_object(j, "schema");
    json_text(j, "type", "string");
    json_text(j, "pattern",
            str_starts(str_of(open), "{run_id}") ? "^(last|[0-9a-f-]{4,36})$"
                                                 : "^[0-9A-Za-z._-]{1,64}$");
    json_end(j);
    json_end(j);
}

/* --- answers -------------------------------------------------------------- */

static void problem(struct json *j, int status, const char *about)
{
    char key[8];
    struct buf number = { 0 };

    buf_printf(&number, "%d", status);
    memcpy(key, buf_cstr(&number), number.len + 1);
    buf_release(&number);
    json_object(j, key);
    json_text(j, "description", about);
    json_object(j, "content");
    json_object(j, "application/problem+json");
    json_object(j, "schema");
    json_text(j, "$ref", "#/components/schemas/Problem");
    json_end(j);
    json_end(j);
    json_end(j);
    json_end(j);
}

static void good(struct writing *w, const struct route *r, const char *status)
{
    struct json *j = &w->json;

    json_object(j, status);
    json_text(j, "description", r->about);
    if (!(r->flags & ROUTE_SOCKET)) {
        json_object(j, "content");
        json_object(j, r->type ? r->type : "application/json");
        if (r->answer)
            w->sound &= schema_json(j, "schema", r->answer);
        json_end(j);
        json_end(j);
    }
    json_end(j);
}

/* Which a route can answer follows from its flags. */
static void answers(struct writing *w, const struct route *r)
{
    struct json *j = &w->json;
    unsigned run = ROUTE_ONE_RUN | ROUTE_COMPARES;

    json_object(j, "responses");
    good(w, r, r->flags & ROUTE_SOCKET ? "101" : "200");
    if (r->flags & ROUTE_GENERATES) /* with Prefer: respond-async */
        good(w, r, "202");
    problem(j, 400, "a parameter, the body or the request itself is wrong");
    if (r->role != ROLE_NONE) {
        problem(j, 401, "a token is needed, or it is not valid");
        problem(j, 403, "the role does not do, or a page from elsewhere");
    } else {
        problem(j, 403, "a page from elsewhere");
    }
    if (r->flags & ROUTE_GENERATES)
        problem(j, 404, "there is no such model below --model-root");
    else if (r->flags & run || strchr(r->path, '{'))
        problem(j, 404, "there is no such run");
    if (r->flags & run)
        problem(j, 409, "several runs are meant, or its state forbids it");
    if (r->flags & ROUTE_BODY) {
        problem(j, 413, "the body is too large");
        problem(j, 415, "the body is no JSON");
    }
    problem(j, 421, "another host is meant");
    if (r->flags & ROUTE_SOCKET)
        problem(j, 426, "this is a WebSocket");
    problem(j, 429, "too many requests");
    if (r->flags & ROUTE_GENERATES) {
        problem(j, 500, "it failed, for the reason given");
        problem(j, 501, "this server does not generate");
        problem(j, 503, "energy is required, and nothing here measures it");
    }
    if (r->flags & ROUTE_CHANGES && !(r->flags & ROUTE_GENERATES))
        problem(j, 501, "runs of many machines are not changed here");
    if (r->flags & (ROUTE_STORE | ROUTE_CHANGES))
        problem(j, 503,
                "the database cannot be read now, or a collector does not "
                "answer");
    json_end(j);
}

static void body(struct writing *w, const struct route *r)
{
    struct json *j = &w->json;

    if (!(r->flags & ROUTE_BODY))
        return;
    json_object(j, "requestBody");
    json_bool(j, "required", true);
    json_object(j, "content");
    json_object(j, "application/json");
    w->sound &= schema_json(j, "schema", route_body(r));
    json_end(j);
    json_end(j);
    json_end(j);
}

static void operation(struct writing *w, const struct route *r)
{
    struct json *j = &w->json;
    char method[8] = "";

    for (size_t i = 0; r->method[i] && i + 1 < sizeof(method); i++)
        method[i] = (char)tolower((unsigned char)r->method[i]);
    json_object(j, method);
    json_text(j, "summary", r->about);
    json_text(j, "x-role", role_name(r->role));
    json_array(j, "parameters");
    path_param(j, r);
    for (const struct param *p = r->params; p && p->name; p++)
        query_param(j, p);
    json_end(j);
    body(w, r);
    answers(w, r);
    if (r->role != ROLE_NONE) {
        json_array(j, "security");
        json_object(j, NULL);
        json_array(j, "token");
        json_end(j);
        json_end(j);
        json_object(j, NULL);
        json_end(j);
        json_end(j);
    }
    json_end(j);
}

/* Routes of one path stand together in the table. */
static void paths(struct writing *w)
{
    const char *open = NULL;

    json_object(&w->json, "paths");
    for (const struct route *r = routes; r->path; r++) {
        if (open && strcmp(open, r->path) != 0)
            json_end(&w->json);
        if (!open || strcmp(open, r->path) != 0)
            json_object(&w->json, r->path);
        open = r->path;
        operation(w, r);
    }
    if (open)
        json_end(&w->json);
    json_end(&w->json);
}

bool openapi_json(struct buf *out)
{
    struct writing w = { .json = json_into(out), .sound = true };
    struct json *j = &w.json;

    json_object(j, NULL);
    json_text(j, "openapi", "3.1.0");
    json_object(j, "info");
    json_text(j, "title", "ortmeter");
    json_text(j, "version", "1");
    json_text(j, "description",
            "What ortmeter measured and measures.  What is not known is "
            "absent: there is no null.");
    json_end(j);
    paths(&w);
    json_object(j, "components");
    json_object(j, "securitySchemes");
    json_object(j, "token");
    json_text(j, "type", "http");
    json_text(j, "scheme", "bearer");
    json_end(j);
    json_end(j);
    json_object(j, "schemas");
    for (const struct schema *s = schemas; s->name; s++)
        w.sound &= schema_json(j, s->name, s->text);
    json_end(j);
    json_end(j);
    json_end(j);
    buf_char(out, '\n');
    return w.sound;
}
