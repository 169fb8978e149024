#include "ort/dims.h"

#include "base/alloc.h"
#include "ort/input_name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEQUENCE     16
#define SIDE         224 /* a multiple of the 32 that most networks want */
#define CHANNELS     3
#define SOUND        16000 /* a second at the usual rate */
#define SOUND_WINDOW 512   /* where the rate is an input: voice detectors */

/* --- what a dimension is for ------------------------------------------------
 */

/* A dimension of an input. */
struct place {
    const struct tensor_spec *input;
    size_t axis;
    bool rate_known; /* the model has an input for the sampling rate */
};

static bool is_one_of(const char *symbol, const char *const *words)
{
    for (; *words; words++)
        if (name_is(symbol, *words))
            return true;
    return false;
}

/* DIM_UNKNOWN: the name says nothing. */
static enum dim_role role_by_name(const char *symbol)
{
    static const char *const batch[] = { "n", "b", "bs", "bsz", NULL };
    static const char *const side[] = { "h", "w", NULL };
    static const char *const sequence[] = { "t", "l", "s", NULL };

    if (strchr(symbol, '+'))
        return DIM_SUM;
    if (name_has(symbol, "batch") || is_one_of(symbol, batch))
        return DIM_BATCH;
    if (name_has(symbol, "total"))
        return DIM_TOTAL;
    if (name_has(symbol, "past") || name_has(symbol, "cache"))
        return DIM_PAST;
    if (name_has(symbol, "height") || name_has(symbol, "width") ||
            is_one_of(symbol, side))
        return DIM_SIDE;
    if (name_has(symbol, "channel"))
        return DIM_CHANNELS;
    if (name_has(symbol, "seq") || name_has(symbol, "len") ||
            name_has(symbol, "time") || name_has(symbol, "frame") ||
            name_has(symbol, "token") || is_one_of(symbol, sequence))
        return DIM_SEQUENCE;
    return DIM_UNKNOWN;
}

static bool counts_channels(int64_t dim)
{
    return dim == 1 || dim == 3 || dim == 4;
}

/* Four dimensions: samples, channels, height, width; or the channels last. */
static enum dim_role role_in_image(const struct place *p)
{
    bool last = !counts_channels(p->input->dim[1]) &&
                counts_channels(p->input->dim[3]);

    if (p->axis == 0)
        return DIM_BATCH;
    return p->axis == (last ? 3u : 1u) ? DIM_CHANNELS : DIM_SIDE;
}

/* Keys and values lie as [batch, heads, past, size], with or without a 2
 * before. */
static enum dim_role role_in_cache(const struct place *p)
{
    size_t from_end = p->input->rank - p->axis;

    if (from_end == 4)
        return DIM_BATCH;
    return from_end == 2 ? DIM_PAST : DIM_UNKNOWN;
}

static bool is_sound(const struct place *p)
{
    enum input_use use = input_use_of(p->input->name);

    if (p->axis == 0 || p->axis + 1 != p->input->rank)
        return false;
    return use == INPUT_SOUND || (p->rate_known && use == INPUT_PLAIN);
}

static enum dim_role role_by_place(const struct place *p)
{
    switch (input_use_of(p->input->name)) {
    case INPUT_CACHE: return role_in_cache(p);
    case INPUT_STATE: return p->axis == 1 ? DIM_BATCH : DIM_UNKNOWN;
    case INPUT_MASK: return p->axis ? DIM_TOTAL : DIM_BATCH;
    case INPUT_IDS:
    case INPUT_SEGMENTS:
    case INPUT_POSITIONS: return p->axis ? DIM_SEQUENCE : DIM_BATCH;
    default: break;
    }
    if (p->input->rank == 4)
        return role_in_image(p);
    return p->axis == 0 ? DIM_BATCH : DIM_UNKNOWN;
}

static enum dim_role role_of(const struct place *p)
{
    const char *symbol = p->input->symbol[p->axis];
    enum dim_role role = symbol ? role_by_name(symbol) : DIM_UNKNOWN;

    /* Sound is long, whatever its length is called. */
    if ((role == DIM_UNKNOWN || role == DIM_SEQUENCE) && is_sound(p))
        return DIM_AUDIO;
    return role == DIM_UNKNOWN ? role_by_place(p) : role;
}

/* --- the list of open dimensions --------------------------------------------
 */

static void name_of(struct buf *out, const struct place *p)
{
    buf_clear(out);
    if (p->input->symbol[p->axis])
        buf_text(out, p->input->symbol[p->axis]);
    else
        buf_printf(out, "%s:%zu", p->input->name, p->axis);
}

static struct dim_choice *find(const struct dims *d, struct str name)
{
    for (size_t i = 0; i < d->choice_count; i++)
        if (str_is(name, d->choice[i].name))
            return &d->choice[i];
    return NULL;
}

static void list_dimension(struct dims *d, const struct place *p)
{
    struct buf name = { 0 };

    name_of(&name, p);
    if (!find(d, buf_str(&name))) {
        d->choice = alloc_resize(d->choice,
                (d->choice_count + 1) * sizeof(*d->choice));
        d->choice[d->choice_count++] = (struct dim_choice){
            .name = alloc_text(buf_cstr(&name)),
            .role = role_of(p),
            .value = -1,
        };
    }
    buf_release(&name);
}

static bool has_rate(const struct tensor_specs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        if (input_use_of(inputs->item[i].name) == INPUT_RATE)
            return true;
    return false;
}

static void list_open(struct dims *d, const struct tensor_specs *inputs)
{
    struct place p = { .rate_known = has_rate(inputs) };

    for (size_t i = 0; i < inputs->count; i++) {
        p.input = &inputs->item[i];
        for (p.axis = 0; p.axis < p.input->rank; p.axis++)
            if (p.input->dim[p.axis] < 0)
                list_dimension(d, &p);
    }
}

/* --- numbers ----------------------------------------------------------------
 */

static void list_names(struct buf *out, const struct dims *d)
{
    for (size_t i = 0; i < d->choice_count; i++)
        buf_printf(out, "%s%s", i ? ", " : "", d->choice[i].name);
}

static int take_given(struct dims *d, const struct dims_wish *wish,
        struct error *e)
{
    for (size_t i = 0; i < wish->given_count; i++) {
        const struct dim_given *g = &wish->given[i];
        struct dim_choice *c = find(d, g->name);
        struct buf names = { 0 };

        if (c) {
            c->value = g->value;
            c->given = true;
            continue;
        }
        list_names(&names, d);

        int rc = fail(e, -EINVAL,
                "--dim %.*s: the model has no open dimension of that name; "
                "%s%.120s",
                g->name.len > 60 ? 60 : (int)g->name.len, g->name.p,
                names.len ? "it has " : "all its dimensions are fixed",
                buf_cstr(&names));

        buf_release(&names);
        return rc;
    }
    return 0;
}

static int take_batch(struct dims *d, int64_t batch, struct error *e)
{
    for (size_t i = 0; i < d->choice_count; i++) {
        struct dim_choice *c = &d->choice[i];

        if (c->role != DIM_BATCH)
            continue;
        d->has_batch = true;
        if (!batch)
            continue;
        if (c->given)
            return fail(e, -EINVAL,
                    "both --batch and --dim %.64s say how large a batch is",
                    c->name);
        c->value = batch;
        c->given = true;
    }
    if (batch && !d->has_batch)
        return fail(e, -EINVAL,
                "the model's batch is fixed: --batch cannot change it");
    return 0;
}

/* The number of the first dimension of that role, or what is usual. */
static int64_t first_of(const struct dims *d, enum dim_role role, int64_t usual)
{
    for (size_t i = 0; i < d->choice_count; i++)
        if (d->choice[i].role == role)
            return d->choice[i].value >= 0 ? d->choice[i].value : usual;
    return usual;
}

static int64_t value_of_role(const struct dims *d, enum dim_role role,
        bool rate_known)
{
    switch (role) {
    case DIM_BATCH: return d->batch;
    case DIM_SEQUENCE: return d->sequence;
    case DIM_PAST: return d->past;
    case DIM_TOTAL: return d->total;
    case DIM_SIDE: return SIDE;
    case DIM_CHANNELS: return CHANNELS;
    case DIM_AUDIO: return rate_known ? SOUND_WINDOW : SOUND;
    default: return 1;
    }
}

/* "past_sequence_length + 1": terms are numbers or names. */
static int64_t sum_of(const struct dims *d, const char *symbol)
{
    struct str rest = str_of(symbol);
    int64_t sum = 0;

    while (rest.len) {
        struct str term = str_trim(str_before(rest, '+'));
        const struct dim_choice *known = find(d, term);
        char name[128];
        int64_t number;

        (void)snprintf(name, sizeof(name), "%.*s", (int)term.len, term.p);
        if (str_i64(&number, term))
            number = known && known->value >= 0
                             ? known->value
                             : value_of_role(d, role_by_name(name), false);
        sum += number;
        rest = str_after(rest, '+');
    }
    return sum;
}

static void settle(struct dims *d, bool rate_known)
{
    d->batch = first_of(d, DIM_BATCH, 1);
    d->sequence = first_of(d, DIM_SEQUENCE, SEQUENCE);
    d->past = first_of(d, DIM_PAST, 0);
    d->total = first_of(d, DIM_TOTAL, d->past + d->sequence);
    for (size_t i = 0; i < d->choice_count; i++)
        if (d->choice[i].value < 0 && d->choice[i].role != DIM_SUM)
            d->choice[i].value =
                    value_of_role(d, d->choice[i].role, rate_known);
    for (size_t i = 0; i < d->choice_count; i++)
        if (d->choice[i].value < 0)
            d->choice[i].value = sum_of(d, d->choice[i].name);
}

static void write_shapes(struct dims *d, const struct tensor_specs *inputs)
{
    struct buf name = { 0 };
    struct place p = { 0 };

    d->shape = alloc_zero(inputs->count + 1, sizeof(*d->shape));
    for (size_t i = 0; i < inputs->count; i++) {
        p.input = &inputs->item[i];
        for (p.axis = 0; p.axis < p.input->rank; p.axis++) {
            int64_t fixed = p.input->dim[p.axis];

            name_of(&name, &p);
            d->shape[i][p.axis] =
                    fixed >= 0 ? fixed : find(d, buf_str(&name))->value;
        }
    }
    buf_release(&name);
}

int dims_resolve(struct dims *out, const struct tensor_specs *inputs,
        const struct dims_wish *wish, struct error *e)
{
    *out = (struct dims){ 0 };
    list_open(out, inputs);

    int rc = take_given(out, wish, e);

    if (!rc)
        rc = take_batch(out, wish->batch, e);
    if (rc) {
        dims_release(out);
        return rc;
    }
    settle(out, has_rate(inputs));
    write_shapes(out, inputs);
    return 0;
}

void dims_release(struct dims *d)
{
    for (size_t i = 0; i < d->choice_count; i++)
        free(d->choice[i].name);
    free(d->choice);
    free(d->shape);
    *d = (struct dims){ 0 };
}

void dims_explain(struct buf *out, const struct dims *d)
{
    bool first = true;

    for (size_t i = 0; i < d->choice_count; i++) {
        const struct dim_choice *c = &d->choice[i];

        if (c->given)
            continue;
        buf_printf(out, "%s%s = %lld (--dim %s=N)", first ? "" : ", ", c->name,
                (long long)c->value, c->name);
        first = false;
    }
}
