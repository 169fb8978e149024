#include "export/json/placement_json.h"

#include "analyse/operators/fusion.h"
#include "analyse/operators/placement.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

static void us(struct json *j, const char *key, double ns)
{
    json_fixed(j, key, ns / 1e3, 3);
}

static void share(struct json *j, const char *key, double part, double whole)
{
    if (whole > 0)
        json_fixed(j, key, part / whole, 6);
}

static void placement(struct json *j, const struct placement *p)
{
    json_array(j, "providers");
    for (size_t i = 0; i < p->count; i++) {
        json_object(j, NULL);
        json_text(j, "provider", p->providers[i].name);
        json_u64(j, "operators", p->providers[i].operators);
        us(j, "total_us", p->providers[i].kernels_ns);
        share(j, "share", p->providers[i].kernels_ns, p->kernels_ns);
        json_end(j);
    }
    json_end(j);
    if (p->copies_ns > 0)
        us(j, "copies_us", p->copies_ns);
    if (!p->fell_back)
        return;
    json_object(j, "cpu_fallback");
    json_u64(j, "operators", p->fallback_operators);
    us(j, "total_us", p->fallback_ns);
    share(j, "share", p->fallback_ns, p->kernels_ns);
    json_end(j);
}

static void group(struct json *j, const struct fusion_group *g)
{
    json_object(j, NULL);
    if (g->ran->name)
        json_text(j, "name", g->ran->name);
    if (g->ran->op_type)
        json_text(j, "op_type", g->ran->op_type);
    us(j, "total_us", g->ran->times[PHASES].total_ns);
    json_array(j, "nodes");
    for (const char *at = g->members; *at;) {
        size_t len = strcspn(at, "\n");

        json_str(j, NULL, (struct str){ at, len });
        at += len + (at[len] != 0);
    }
    json_end(j);
    json_end(j);
}

static void fusion(struct json *j, const struct fusion *f)
{
    json_u64(j, "file_nodes", f->file_nodes);
    json_u64(j, "executed", f->ran);
    json_u64(j, "kept", f->kept);
    json_u64(j, "duplicated", f->duplicated);
    json_u64(j, "fused_nodes", f->fused);
    json_u64(j, "folded_nodes", f->folded);
    json_u64(j, "removed_nodes", f->removed);
    json_u64(j, "not_taken_nodes", f->not_taken);
    json_u64(j, "from_file", f->from_file);
    json_u64(j, "made_by_fusion", f->made);
    json_u64(j, "inserted", f->inserted);
    json_array(j, "groups");
    for (size_t i = 0; i < f->group_count; i++)
        group(j, &f->groups[i]);
    json_end(j);
}

static void whose(struct json *j, const struct summary_session *x)
{
    json_u64(j, "session", x->id);
    if (!x->model)
        return;

    char *name = summary_model_name(x->model);

    json_text(j, "model", name);
    free(name);
}

static void fusion_of(struct json *j, const struct summary *s,
        const struct summary_session *x)
{
    struct fusion f;
    struct error e;

    json_object(j, NULL);
    whose(j, x);
    if (fusion_of_session(&f, s, x, &e))
        json_text(j, "reason", e.text);
    else
        fusion(j, &f);
    json_end(j);
    fusion_release(&f);
}

void placement_json(struct json *j, const struct summary *s)
{
    struct placement p;

    if (!s->operators.count)
        return;
    json_array(j, "placement");
    for (size_t i = 0; i < s->session_count; i++) {
        const struct summary_session *x = &s->sessions[i];

        if (!placement_find(&p, &s->operators, x->id, x->providers))
            continue;
        json_object(j, NULL);
        whose(j, x);
        placement(j, &p);
        json_end(j);
    }
    json_end(j);
    json_array(j, "fusion");
    for (size_t i = 0; i < s->session_count; i++)
        if (s->sessions[i].model &&
                placement_find(&p, &s->operators, s->sessions[i].id, NULL))
            fusion_of(j, s, &s->sessions[i]);
    json_end(j);
}
