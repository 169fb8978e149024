#include "analyse/difference.h"

#include "base/compiler.h"
#include "base/json_read.h"

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

bool difference_same_host(const char *a, const char *b)
{
    static const char *const keys[] = { "hostname", "kernel", "cpu",
        "accelerators" };

    for (size_t i = 0; i < LEN(keys); i++)
        if (!str_eq(member_of(a, keys[i]), member_of(b, keys[i])))
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

/* The one with the most inferences speaks for the run. */
static const struct summary_session *main_session(const struct summary *s)
{
    static const struct summary_session none;
    const struct summary_session *best = &none;

    for (size_t i = 0; i < s->session_count; i++)
        if (s->sessions[i].inferences > best->inferences)
            best = &s->sessions[i];
    return best;
}

static void note(struct difference *d, struct str before, struct str after)
{
    if (str_eq(before, after))
        return;
    d->there = true;
    buf_add(&d->before, before.p, before.len);
    buf_add(&d->after, after.p, after.len);
}

static void range_text(struct buf *out, const struct range *r)
{
    if (!r->count)
        return;
    buf_printf(out, "%llu", (unsigned long long)r->min);
    if (r->max > r->min)
        buf_printf(out, " to %llu", (unsigned long long)r->max);
}

static void note_range(struct difference *d, const struct range *before,
        const struct range *after)
{
    struct buf a = { 0 }, b = { 0 };

    range_text(&a, before);
    range_text(&b, after);
    if (before->count && after->count)
        note(d, buf_str(&a), buf_str(&b));
    buf_release(&a);
    buf_release(&b);
}

static void note_option(struct difference *d, const struct summary_session *a,
        const struct summary_session *b, const char *key)
{
    struct str before = member_of(a->options, key);
    struct str after = member_of(b->options, key);
    struct str usual = str_of("as usual");

    if (a->options && b->options)
        note(d, before.len ? before : usual, after.len ? after : usual);
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
    const struct summary_session *a = main_session(before);
    const struct summary_session *b = main_session(after);

    out[DIFFERENCE_HOST].there =
            !difference_same_host(before->run.host, after->run.host);
    note(&out[DIFFERENCE_RUNTIME], str_of(text_of(runtime_of(before))),
            str_of(text_of(runtime_of(after))));
    out[DIFFERENCE_MODELS].there =
            !has_models_of(before, after) || !has_models_of(after, before);
    note_range(&out[DIFFERENCE_BATCH], &a->batch, &b->batch);
    note_range(&out[DIFFERENCE_SEQUENCE], &a->sequence, &b->sequence);
    if (!out[DIFFERENCE_BATCH].there && !out[DIFFERENCE_SEQUENCE].there)
        note_range(&out[DIFFERENCE_BYTES], &a->in_bytes, &b->in_bytes);
    note_option(&out[DIFFERENCE_THREADS], a, b, "intra_op_num_threads");
    note_option(&out[DIFFERENCE_LEVEL], a, b, "graph_optimization_level");
    note(&out[DIFFERENCE_PROVIDERS], str_of(text_of(a->providers)),
            str_of(text_of(b->providers)));
    note(&out[DIFFERENCE_TRACING], tracing_of(before), tracing_of(after));
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
