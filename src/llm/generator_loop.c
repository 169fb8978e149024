/* The loop: the prompt at once, then token by token. */
#include "base/alloc.h"
#include "llm/generator.h"
#include "llm/generator_state.h"
#include "os/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One text on its way. */
struct row {
    struct ids all; /* what the decoder saw and chose */
    size_t prompt;  /* of them, given */
    size_t pad;     /* places before it, where another text is longer */
    bool over;
    struct token_stream stream;
    size_t told; /* bytes of the text */
};

struct run {
    struct generator *g;
    const struct generator_request *r;
    const struct generator_listener *l;
    struct generator_result *out;
    struct row *row;
    struct network_state state;
    struct choice_state choice;
    struct choice *chosen; /* in each text */
    size_t longest;        /* prompt, for the decoder */
    size_t made;           /* tokens a text, so far */
    int64_t *ids, *positions, *mask, *encoder_mask;
    float *logits;
    size_t vocabulary;
    uint64_t begin_ns;
};

static void begin(const struct run *u, enum generator_phase phase,
        const char *name)
{
    if (u->l->begin)
        u->l->begin(u->l->context, phase, name);
}

static void end(const struct run *u)
{
    if (u->l->end)
        u->l->end(u->l->context);
}

/* The prompt makes the first token. */
static enum generator_phase phase_of(const struct run *u)
{
    return u->made ? GENERATOR_DECODE : GENERATOR_PREFILL;
}

/* --- before
 * ----------------------------------------------------------------------------
 */

static int check_prompt(const struct generator *g, const struct ids *prompt,
        struct error *e)
{
    const struct model_folder *m = &g->folder;

    if (!prompt->count)
        return fail(e, -EINVAL, "the prompt has no tokens");
    if (m->context >= 0 && !m->encoder && prompt->count >= (size_t)m->context)
        return fail(e, -EINVAL,
                "the prompt has %zu tokens, and the model's context holds %lld "
                "with the answer",
                prompt->count, (long long)m->context);
    for (size_t i = 0; i < prompt->count && m->vocabulary >= 0; i++)
        if (prompt->id[i] >= (uint64_t)m->vocabulary)
            return fail(e, -EINVAL,
                    "token %u of the prompt is none of the model, which has "
                    "%lld",
                    prompt->id[i], (long long)m->vocabulary);
    return 0;
}

static int check(const struct run *u, struct error *e)
{
    const struct generator_request *r = u->r;
    bool equal = true;

    for (size_t i = 0; i < r->count; i++) {
        int rc = u->g->encoder.session && !r->prompts[i].count
                         ? 0
                         : check_prompt(u->g, &r->prompts[i], e);

        if (rc)
            return rc;
        equal = equal && r->prompts[i].count == r->prompts[0].count;
    }
    if (!equal && !u->g->decoder.has_positions)
        return fail(e, -EINVAL,
                "%s takes no position_ids: prompts of different lengths cannot "
                "run at once",
                u->g->folder.decoder);
    return 0;
}

/* The encoder sees the prompt; the decoder begins with a token of its own. */
static int encode(struct run *u, struct error *e)
{
    const struct generator_request *r = u->r;
    const struct model_folder *m = &u->g->folder;
    struct network_step step = { 0 };
    int64_t *ids;
    int rc;

    for (size_t i = 0; i < r->count; i++)
        if (r->prompts[i].count > step.count)
            step.count = r->prompts[i].count;
    ids = alloc_zero(r->count * step.count + 1, sizeof(*ids));
    u->encoder_mask =
            alloc_zero(r->count * step.count + 1, sizeof(*u->encoder_mask));
    for (size_t b = 0; b < r->count; b++) {
        for (size_t i = 0; i < r->prompts[b].count; i++) {
            ids[b * step.count + i] = r->prompts[b].id[i];
            u->encoder_mask[b * step.count + i] = 1;
        }
    }
    step.ids = ids;
    step.mask = u->encoder_mask;
    step.total = u->state.hidden_len = step.count;
    u->state.hidden_mask = u->encoder_mask;
    begin(u, GENERATOR_PREFILL, "encoder");
    rc = network_run(&u->state.hidden, &u->g->encoder, &u->state, &step,
            u->g->given, u->g->given_count, &u->g->encoder, e);
    end(u);
    free(ids);
    for (size_t b = 0; b < r->count && !rc; b++)
        ids_add(&u->row[b].all, (uint32_t)(m->start >= 0 ? m->start
                                           : m->bos >= 0 ? m->bos
                                                         : 0));
    return rc;
}

static int prepare(struct run *u, struct error *e)
{
    const struct generator_request *r = u->r;
    int rc = check(u, e);

    if (rc)
        return rc;
    u->row = alloc_zero(r->count, sizeof(*u->row));
    u->chosen = alloc_zero(r->count, sizeof(*u->chosen));
    u->out->text = alloc_zero(r->count, sizeof(*u->out->text));
    u->out->count = u->state.batch = r->count;
    u->choice.random = r->seed;
    begin(u, GENERATOR_PRE, "kv_cache_init");
    rc = network_state_begin(&u->state, generator_later(u->g), &u->g->folder,
            e);
    end(u);
    for (size_t b = 0; b < r->count && !u->g->encoder.session; b++)
        ids_add_all(&u->row[b].all, r->prompts[b].id, r->prompts[b].count);
    if (!rc && u->g->encoder.session)
        rc = encode(u, e);
    for (size_t b = 0; b < r->count; b++)
        if (u->row[b].all.count > u->longest)
            u->longest = u->row[b].all.count;
    for (size_t b = 0; b < r->count; b++) {
        u->row[b].prompt = u->row[b].all.count;
        u->row[b].pad = u->longest - u->row[b].prompt;
    }
    return rc;
}

/* --- a step
 * -----------------------------------------------------------------------------
 */

/* Lays out what the decoder has not seen yet: all of it, or the last token. */
static struct network_step lay_out(struct run *u, bool all)
{
    size_t total = u->longest + u->made, count = all ? total : 1;
    size_t batch = u->r->count;
    struct network_step step = { .count = count,
        .total = total,
        .has_past = !all,
        .keep_past = !u->r->no_cache };

    u->ids = alloc_resize(u->ids, batch * total * sizeof(*u->ids));
    u->positions =
            alloc_resize(u->positions, batch * total * sizeof(*u->positions));
    u->mask = alloc_resize(u->mask, batch * total * sizeof(*u->mask));
    for (size_t b = 0; b < batch; b++) {
        const struct row *row = &u->row[b];
        int64_t pad = u->g->folder.pad >= 0 ? u->g->folder.pad : 0;

        for (size_t i = 0; i < total; i++)
            u->mask[b * total + i] = i >= row->pad;
        for (size_t i = 0; i < count; i++) {
            size_t at = total - count + i;
            bool real = at >= row->pad;

            u->ids[b * count + i] = real ? row->all.id[at - row->pad] : pad;
            u->positions[b * count + i] = real ? (int64_t)(at - row->pad) : 0;
        }
    }
    step.ids = u->ids;
    step.positions = u->positions;
    step.mask = u->mask;
    return step;
}

static void keep_first_logits(struct run *u)
{
    size_t bytes = u->vocabulary * sizeof(*u->logits);

    u->out->vocabulary = u->vocabulary;
    u->out->first_logits =
            alloc_zero(u->vocabulary, sizeof(*u->out->first_logits));
    memcpy(u->out->first_logits, u->logits, bytes);
}

static int run_step(struct run *u, struct error *e)
{
    const struct generator *g = u->g;
    const struct network *later = generator_later(g);
    bool cached = later->has_past && !u->r->no_cache;
    bool first = u->made == 0;
    struct network_step step;
    struct ort_value *value = NULL;
    int rc;

    begin(u, phase_of(u), "tensor_transfer");
    step = lay_out(u, first || !cached);
    end(u);
    step.keep_past = cached;
    rc = network_run(&value, first || !cached ? &g->decoder : later, &u->state,
            &step, g->given, g->given_count, later, e);
    begin(u, phase_of(u), "tensor_to_cpu");
    if (!rc)
        rc = network_logits(&u->logits, &u->vocabulary, later, value,
                u->r->count, e);
    if (value)
        ORT(engine_api(g->engine), ReleaseValue)(value);
    end(u);
    if (!rc && first)
        keep_first_logits(u);
    return rc;
}

/* --- a token
 * ----------------------------------------------------------------------------
 */

static bool is_stop(const struct generator *g, uint32_t id)
{
    for (size_t i = 0; i < g->folder.stops.count; i++)
        if (g->folder.stops.id[i] == id)
            return true;
    return false;
}

/* Where a text ends that a stop text is in; SIZE_MAX: none is. */
static size_t find_stop_text(const struct generator_request *r, struct str text)
{
    size_t first = SIZE_MAX;

    for (size_t i = 0; i < r->stop_count; i++) {
        const char *hit = str_find(text, r->stops[i]);

        if (hit && (size_t)(hit - text.p) < first)
            first = (size_t)(hit - text.p);
    }
    return first;
}

/* How much of a text may be told: its end may be the beginning of a stop text.
 */
static size_t safe_len(const struct generator_request *r, struct str text)
{
    size_t safe = text.len;

    for (size_t i = 0; i < r->stop_count; i++) {
        size_t len = strlen(r->stops[i]);

        for (size_t k = 1; k < len && k <= text.len; k++)
            if (memcmp(text.p + text.len - k, r->stops[i], k) == 0 &&
                    text.len - k < safe)
                safe = text.len - k;
    }
    return safe;
}

/* Reads on; what may be told of it is what has become readable. */
static struct str read_on(struct run *u, size_t b, uint32_t id)
{
    struct generator_text *t = &u->out->text[b];
    struct row *row = &u->row[b];
    size_t stop, safe, from = row->told;

    if (!u->g->tokenizer)
        return (struct str){ "", 0 };
    token_stream_add(&row->stream, u->g->tokenizer, true, id, &t->text);
    stop = find_stop_text(u->r, buf_str(&t->text));
    if (stop != SIZE_MAX) {
        t->text.len = stop;
        t->end = GENERATOR_STOP_TEXT;
        row->over = true;
    }
    safe = row->over ? t->text.len : safe_len(u->r, buf_str(&t->text));
    if (safe < from)
        return (struct str){ "", 0 };
    row->told = safe;
    return (struct str){ buf_cstr(&t->text) + from, safe - from };
}

static int choose(struct run *u, struct choice *chosen, struct error *e)
{
    int rc = 0;

    begin(u, phase_of(u), "sampling");
    for (size_t b = 0; b < u->r->count && !rc; b++) {
        if (!choose_token(&chosen[b], &u->choice, &u->r->rules,
                    u->logits + b * u->vocabulary, u->vocabulary,
                    &u->row[b].all))
            rc = fail(e, -EDOM,
                    "%s gave NaN instead of numbers for token %zu: its weights "
                    "or its inputs are damaged",
                    u->g->folder.decoder, u->made);
        else {
            if (u->r->forced && u->made < u->r->forced->count)
                chosen[b].id = u->r->forced->id[u->made];
            ids_add(&u->row[b].all, chosen[b].id);
        }
    }
    end(u);
    return rc;
}

/* What a text goes on with: it may be over by that. */
static void take_token(struct run *u, size_t b, const struct choice *chosen,
        struct generator_token *told)
{
    struct row *row = &u->row[b];
    struct generator_text *t = &u->out->text[b];

    *told = (struct generator_token){ .text = b,
        .index = u->made,
        .id = chosen->id,
        .probability = chosen->probability };
    if (is_stop(u->g, chosen->id) && !u->r->ignore_end) {
        row->over = true;
        t->end = GENERATOR_STOP_TOKEN;
    }
    ids_add(&t->ids, chosen->id);
    told->readable = read_on(u, b, chosen->id);
}

/* Those that are over go on only beside others: nobody is told. */
static void take_tokens(struct run *u, const struct choice *chosen,
        uint64_t since_ns)
{
    struct generator_token *told = alloc_zero(u->r->count, sizeof(*told));
    bool *goes_on = alloc_zero(u->r->count, sizeof(*goes_on));

    begin(u, phase_of(u), "detokenization");
    for (size_t b = 0; b < u->r->count; b++) {
        goes_on[b] = !u->row[b].over;
        if (goes_on[b])
            take_token(u, b, &chosen[b], &told[b]);
    }
    end(u);
    for (size_t b = 0; b < u->r->count; b++) {
        told[b].duration_ns = mono_ns() - since_ns;
        if (goes_on[b] && u->l->token &&
                !u->l->token(u->l->context, &told[b])) {
            u->row[b].over = true;
            u->out->text[b].end = GENERATOR_ASKED;
        }
    }
    free(told);
    free(goes_on);
}

static bool all_over(const struct run *u)
{
    for (size_t b = 0; b < u->r->count; b++)
        if (!u->row[b].over)
            return false;
    return true;
}

static int make_token(struct run *u, struct error *e)
{
    uint64_t since_ns = mono_ns(), took_ns;
    char name[32];
    int rc;

    (void)snprintf(name, sizeof(name), "token_%zu", u->made);
    begin(u, phase_of(u), u->made ? name : "prefill_complete");
    rc = run_step(u, e);
    if (!rc)
        rc = choose(u, u->chosen, e);
    if (!rc)
        take_tokens(u, u->chosen, since_ns);
    end(u);
    took_ns = mono_ns() - since_ns;
    buf_add(&u->out->durations, &took_ns, sizeof(took_ns));
    if (!u->made)
        u->out->prefill_ns = mono_ns() - u->begin_ns;
    u->made++;
    return rc;
}

static int make_text(struct run *u, struct error *e)
{
    int64_t context = u->g->folder.context;
    int rc = 0;

    while (!rc && u->made < u->r->max_tokens && !all_over(u)) {
        if (context > 0 && u->longest + u->made >= (size_t)context)
            break;
        rc = make_token(u, e);
    }
    for (size_t b = 0; b < u->r->count; b++)
        if (!u->row[b].over && u->made < u->r->max_tokens)
            u->out->text[b].end = GENERATOR_CONTEXT;
    return rc;
}

/* What was held back, as it might have been a stop text. */
static void tell_rest(struct run *u)
{
    for (size_t b = 0; b < u->r->count && u->l->token; b++) {
        struct generator_text *t = &u->out->text[b];
        struct generator_token told = { .text = b, .index = SIZE_MAX };

        if (t->text.len <= u->row[b].told)
            continue;
        told.readable = (struct str){ t->text.p + u->row[b].told,
            t->text.len - u->row[b].told };
        (void)u->l->token(u->l->context, &told);
    }
}

static void clean_up(struct run *u)
{
    begin(u, GENERATOR_POST, "cleanup");
    for (size_t b = 0; u->row && b < u->r->count; b++) {
        ids_release(&u->row[b].all);
        token_stream_release(&u->row[b].stream);
    }
    network_state_release(&u->state, u->g->engine);
    choice_state_release(&u->choice);
    free(u->row);
    free(u->chosen);
    free(u->ids);
    free(u->positions);
    free(u->mask);
    free(u->encoder_mask);
    free(u->logits);
    end(u);
}

int generator_run(struct generator *g, const struct generator_request *r,
        const struct generator_listener *l, struct generator_result *out,
        struct error *e)
{
    struct run u = { .g = g,
        .r = r,
        .l = l,
        .out = out,
        .begin_ns = mono_ns() };
    int rc;

    *out = (struct generator_result){ 0 };
    rc = prepare(&u, e);
    if (!rc)
        rc = make_text(&u, e);
    if (!rc)
        tell_rest(&u);
    clean_up(&u);
    out->total_ns = mono_ns() - u.begin_ns;
    return rc;
}
