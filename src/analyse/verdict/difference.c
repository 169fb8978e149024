#include "analyse/verdict/difference.h"

#include "base/compiler.h"
#include "base/json_read.h"

#include <stdlib.h>
#include <string.h>

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(text_of(a), text_of(b)) == 0;
}

static struct str member_of(const char *object, const char *key)
{
    struct str rest = str_of(text_of(object)), name, value;

    while (json_next_member(&rest, &name, &value) > 0)
        if (str_is(name, key))
            return value;
    return (struct str){ "", 0 };
}

/* --- the runs ------------------------------------------------------------- */

/* Whether they are the same but for blanks between what they hold: a file that
 * other programs wrote anew has others. */
static bool same_json(struct str a, struct str b)
{
    bool quoted = false;
    size_t i = 0, k = 0;

    for (;; i++, k++) {
        while (!quoted && i < a.len && strchr(" \t\r\n", a.p[i]))
            i++;
        while (!quoted && k < b.len && strchr(" \t\r\n", b.p[k]))
            k++;
        if (i >= a.len || k >= b.len)
            return i >= a.len && k >= b.len;
        if (a.p[i] != b.p[k])
            return false;
        if (a.p[i] == '"' && !(quoted && a.p[i - 1] == '\\'))
            quoted = !quoted;
    }
}

bool difference_same_host(const char *a, const char *b)
{
    static const char *const keys[] = { "hostname", "kernel", "cpu",
        "accelerators" };

    for (size_t i = 0; i < LEN(keys); i++)
        if (!same_json(member_of(a, keys[i]), member_of(b, keys[i])))
            return false;
    return true;
}

static const char *runtime_of(const struct summary *s)
{
    return s->library_count ? s->libraries[0].version : NULL;
}

static bool has_model(const struct summary *s, const char *model)
{
    for (size_t i = 0; i < s->session_count; i++)
        if (same_text(s->sessions[i].model, model))
            return true;
    return false;
}

static bool has_models_of(const struct summary *s, const struct summary *other)
{
    for (size_t i = 0; i < other->session_count; i++)
        if (!has_model(s, other->sessions[i].model))
            return false;
    return true;
}

/* --- their sessions ------------------------------------------------------- */

/* How a run used a model, in all its sessions. */
struct model_use {
    struct range batch, sequence, in_bytes;
    struct buf threads, level, providers; /* "1, 4": each value once */
};

static void widen(struct range *to, const struct range *x)
{
    if (!x->count)
        return;
    to->min = !to->count || x->min < to->min ? x->min : to->min;
    to->max = x->max > to->max ? x->max : to->max;
    to->count += x->count;
}

/* Whether a value is one of "1, 4, 16". */
static bool has_value(struct str all, struct str value)
{
    for (size_t i = 0; i + value.len <= all.len; i++)
        if ((!i || all.p[i - 1] == ' ') &&
                (i + value.len == all.len || all.p[i + value.len] == ',') &&
                memcmp(all.p + i, value.p, value.len) == 0)
            return true;
    return false;
}

static void add_value(struct buf *out, struct str value)
{
    if (has_value(buf_str(out), value))
        return;
    buf_text(out, out->len ? ", " : "");
    buf_add(out, value.p, value.len);
}

static void add_option(struct buf *out, const char *options, const char *key)
{
    struct str value = member_of(options, key);

    if (options)
        add_value(out, value.len ? value : str_of("as usual"));
}

static void use_of(struct model_use *out, const struct summary *s,
        const char *model)
{
    *out = (struct model_use){ 0 };
    for (size_t i = 0; i < s->session_count; i++) {
        const struct summary_session *x = &s->sessions[i];

        if (!x->inferences || !same_text(x->model, model))
            continue;
        widen(&out->batch, &x->batch);
        widen(&out->sequence, &x->sequence);
        widen(&out->in_bytes, &x->in_bytes);
        add_option(&out->threads, x->options, "intra_op_num_threads");
        add_option(&out->level, x->options, "graph_optimization_level");
        add_value(&out->providers, str_of(text_of(x->providers)));
    }
}

static void use_release(struct model_use *u)
{
    buf_release(&u->threads);
    buf_release(&u->level);
    buf_release(&u->providers);
}

/* `whose` is the model's name where a run has several, else empty. */
static void note(struct difference *d, const char *whose, struct str before,
        struct str after)
{
    const char *between = d->there ? "; " : "", *space = *whose ? " " : "";

    if (str_eq(before, after))
        return;
    d->there = true;
    buf_printf(&d->before, "%s%s%s%.*s", between, whose, space, (int)before.len,
            before.p);
    buf_printf(&d->after, "%s%s%s%.*s", between, whose, space, (int)after.len,
            after.p);
}

static void range_text(struct buf *out, const struct range *r)
{
    if (!r->count)
        return;
    buf_printf(out, "%llu", (unsigned long long)r->min);
    if (r->max > r->min)
        buf_printf(out, " to %llu", (unsigned long long)r->max);
}

static void note_range(struct difference *d, const char *whose,
        const struct range *before, const struct range *after)
{
    struct buf a = { 0 }, b = { 0 };

    range_text(&a, before);
    range_text(&b, after);
    if (before->count && after->count)
        note(d, whose, buf_str(&a), buf_str(&b));
    buf_release(&a);
    buf_release(&b);
}

/* What is not told of one of them is no difference. */
static void note_known(struct difference *d, const char *whose,
        const struct buf *before, const struct buf *after)
{
    if (before->len && after->len)
        note(d, whose, buf_str(before), buf_str(after));
}

static void differences_of_model(struct difference *out, const char *whose,
        const struct model_use *a, const struct model_use *b)
{
    struct difference *batch = &out[DIFFERENCE_BATCH];
    struct difference *sequence = &out[DIFFERENCE_SEQUENCE];
    size_t said = batch->before.len + sequence->before.len;

    note_range(batch, whose, &a->batch, &b->batch);
    note_range(sequence, whose, &a->sequence, &b->sequence);
    if (batch->before.len + sequence->before.len == said)
        note_range(&out[DIFFERENCE_BYTES], whose, &a->in_bytes, &b->in_bytes);
    note_known(&out[DIFFERENCE_THREADS], whose, &a->threads, &b->threads);
    note_known(&out[DIFFERENCE_LEVEL], whose, &a->level, &b->level);
    note(&out[DIFFERENCE_PROVIDERS], whose, buf_str(&a->providers),
            buf_str(&b->providers));
}

static bool came_before(const struct summary *s, size_t session)
{
    for (size_t i = 0; i < session; i++)
        if (same_text(s->sessions[i].model, s->sessions[session].model))
            return true;
    return false;
}

static bool has_several(const struct summary *s)
{
    for (size_t i = 1; i < s->session_count; i++)
        if (!same_text(s->sessions[i].model, s->sessions[0].model))
            return true;
    return false;
}

/* Of each model that both have. */
static void differences_of_models(struct difference *out,
        const struct summary *before, const struct summary *after)
{
    bool several = has_several(before);

    for (size_t i = 0; i < before->session_count; i++) {
        const char *model = before->sessions[i].model;
        struct model_use a, b;

        if (came_before(before, i) || !has_model(after, model))
            continue;

        char *name = summary_model_name(text_of(model));

        use_of(&a, before, model);
        use_of(&b, after, model);
        differences_of_model(out, several ? name : "", &a, &b);
        use_release(&a);
        use_release(&b);
        free(name);
    }
}

static struct str tracing_of(const struct summary *s)
{
    return str_of(!s->traced                   ? "none"
                  : s->traced == s->inferences ? "all inferences"
                                               : "some inferences");
}

void differences_find(struct difference *out, const struct summary *before,
        const struct summary *after)
{
    out[DIFFERENCE_HOST].there =
            !difference_same_host(before->run.host, after->run.host);
    note(&out[DIFFERENCE_RUNTIME], "", str_of(text_of(runtime_of(before))),
            str_of(text_of(runtime_of(after))));
    out[DIFFERENCE_MODELS].there =
            !has_models_of(before, after) || !has_models_of(after, before);
    differences_of_models(out, before, after);
    note(&out[DIFFERENCE_TRACING], "", tracing_of(before), tracing_of(after));
}

void differences_release(struct difference *all)
{
    for (int i = 0; i < DIFFERENCES; i++) {
        buf_release(&all[i].before);
        buf_release(&all[i].after);
    }
}

const char *difference_name(enum difference_kind kind)
{
    static const char *const names[DIFFERENCES] = {
        [DIFFERENCE_HOST] = "host",
        [DIFFERENCE_RUNTIME] = "onnxruntime",
        [DIFFERENCE_MODELS] = "models",
        [DIFFERENCE_BATCH] = "batch",
        [DIFFERENCE_SEQUENCE] = "sequence",
        [DIFFERENCE_BYTES] = "input_bytes",
        [DIFFERENCE_THREADS] = "threads",
        [DIFFERENCE_LEVEL] = "graph_level",
        [DIFFERENCE_PROVIDERS] = "providers",
        [DIFFERENCE_TRACING] = "tracing",
    };

    return names[kind];
}

bool differences_other_work(const struct difference *all)
{
    return all[DIFFERENCE_MODELS].there || all[DIFFERENCE_BATCH].there ||
           all[DIFFERENCE_SEQUENCE].there || all[DIFFERENCE_BYTES].there;
}
