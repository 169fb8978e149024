#include "model/follow.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Of so many the last step is kept; the one whose turn is longest ago goes. */
#define TEXTS   1024
#define ENCODED 64

struct text {
    uint32_t generation; /* 0: nothing here */
    uint32_t process, session, thread;
    uint32_t past, length;      /* tokens before the last step, and after it */
    uint64_t end_ns, before_ns; /* of the last step, and of the one before */
    uint32_t out_at;
    uint32_t out[PASSED_ROWS];
    bool decoding;
};

/* What an encoder made. */
struct encoded {
    uint64_t start_ns, end_ns;
    uint32_t process, session, thread;
    uint32_t states;
    bool used;
};

struct follower {
    struct text texts[TEXTS];
    size_t count;
    struct encoded encoded[ENCODED]; /* a ring */
    size_t encoded_count;
    uint32_t generations;
};

struct follower *follower_new(void)
{
    return alloc_zero(1, sizeof(struct follower));
}

void follower_free(struct follower *f)
{
    free(f);
}

/* --- encoders ------------------------------------------------------------- */

static void keep_encoded(struct follower *f, const struct inference *i,
        const struct passed *p)
{
    f->encoded[f->encoded_count++ % ENCODED] = (struct encoded){
        .start_ns = i->start_ns,
        .end_ns = i->start_ns + i->duration_ns,
        .process = i->process,
        .session = i->session,
        .thread = i->thread,
        .states = p->out[0],
    };
}

/* The newest whose states these are; else the newest of this thread, where the
 * states could not be read. */
static uint64_t lead_of(struct follower *f, const struct inference *i,
        const struct passed *p)
{
    struct encoded *best = NULL;

    for (size_t n = 0; n < ENCODED; n++) {
        struct encoded *x = &f->encoded[n];
        bool same = p->in && x->states ? p->in == x->states
                                       : x->thread == i->thread;

        if (x->end_ns && !x->used && same && x->process == i->process &&
                x->session != i->session && x->end_ns <= i->start_ns &&
                (!best || x->end_ns > best->end_ns))
            best = x;
    }
    if (!best)
        return 0;
    best->used = true;
    return i->start_ns - best->start_ns;
}

/* --- texts ---------------------------------------------------------------- */

static bool has_row(const struct text *x, const struct passed *p)
{
    for (size_t n = 0; p && p->in && n < PASSED_ROWS; n++)
        if (x->out[n] == p->in)
            return true;
    return false;
}

/* How surely `i` goes on with it; 0: it does not. */
static int likeness(const struct text *x, const struct inference *i,
        const struct passed *p)
{
    if (!x->generation || x->process != i->process || x->end_ns > i->start_ns)
        return 0;
    if (has_row(x, p))
        return x->thread == i->thread ? 8 : 7;
    if (p && p->in_at && p->in_at == x->out_at && i->past <= x->length)
        return 6;
    if (x->session != i->session)
        return i->past == x->length && x->thread == i->thread ? 1 : 0;
    if (i->past == x->length)
        return x->thread == i->thread ? 5 : 3;
    if (i->past > x->past && i->past < x->length)
        return x->thread == i->thread ? 4 : 2;
    return 0;
}

/* Among equals they take turns: it is the one that waits longest, unless
 * another has made two steps meanwhile: then it waits for nothing any more. */
static struct text *find(struct follower *f, const struct inference *i,
        const struct passed *p)
{
    struct text *best = NULL;
    uint64_t since_ns = 0;
    int like = 1;

    for (size_t n = 0; n < f->count; n++) {
        int here = likeness(&f->texts[n], i, p);

        if (here > like)
            since_ns = 0;
        if (here < like)
            continue;
        like = here;
        if (f->texts[n].before_ns > since_ns)
            since_ns = f->texts[n].before_ns;
    }
    for (size_t n = 0; n < f->count; n++) {
        struct text *x = &f->texts[n];

        if (likeness(x, i, p) == like && x->end_ns >= since_ns &&
                (!best || x->end_ns < best->end_ns))
            best = x;
    }
    return best;
}

static struct text *place_for_one(struct follower *f)
{
    struct text *oldest = &f->texts[0];

    if (f->count < TEXTS)
        return &f->texts[f->count++];
    for (size_t n = 1; n < TEXTS; n++)
        if (f->texts[n].end_ns < oldest->end_ns)
            oldest = &f->texts[n];
    return oldest;
}

static struct text *begin(struct follower *f, struct text *x)
{
    if (!x)
        x = place_for_one(f);
    *x = (struct text){ .generation = ++f->generations };
    return x;
}

static void step(struct text *x, struct inference *i, const struct passed *p)
{
    x->process = i->process;
    x->session = i->session;
    x->thread = i->thread;
    x->past = i->past;
    x->length = i->past + i->sequence;
    x->before_ns = x->end_ns;
    x->end_ns = i->start_ns + i->duration_ns;
    x->out_at = p ? p->out_at : 0;
    memset(x->out, 0, sizeof(x->out));
    if (p && !(p->flags & PASSED_STATES_OUT))
        memcpy(x->out, p->out, sizeof(x->out));
    i->generation = x->generation;
    i->phase = x->decoding ? PHASE_DECODE : PHASE_PREFILL;
}

/* A text that is there goes on; NULL: a new one begins. */
static struct text *go_on(struct text *x, const struct inference *i)
{
    if (!x)
        return NULL;
    if (i->sequence <= 1 || i->past < x->length)
        x->decoding = true;
    else if (x->decoding && i->sequence > FOLLOW_DRAFT_MAX)
        return NULL;
    return x;
}

void follower_take(struct follower *f, struct inference *i,
        const struct passed *p)
{
    if (i->flags & FLAG_FAILED)
        return;
    if (p && p->flags & PASSED_STATES_OUT && i->phase == PHASE_OTHER)
        keep_encoded(f, i, p);
    if (i->phase != PHASE_PREFILL && i->phase != PHASE_DECODE)
        return;

    struct text *before = i->past ? find(f, i, p) : NULL;
    struct text *x = go_on(before, i);

    if (!x && i->phase == PHASE_DECODE)
        return; /* its prompt was not seen */
    if (!x)
        x = begin(f, before);
    if (!before && p && p->flags & PASSED_STATES_IN)
        i->lead_ns = lead_of(f, i, p);
    step(x, i, p);
}
