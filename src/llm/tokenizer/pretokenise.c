#include "llm/tokenizer/pretokenise.h"

#include "base/buf.h"

#include <string.h>

struct walk {
    const struct pretokeniser *p;
    void (*take)(void *context, struct str word);
    void *context;
};

/* Pieces as they come: what was found, and what lies between. */
struct joiner {
    const struct walk *walk;
    size_t step;
    struct str text;
    bool first;
    bool pending, pending_match;
    size_t from, end;
};

static void descend(const struct walk *w, size_t step, struct str piece,
        bool first);

static void emit(struct joiner *j, size_t from, size_t end)
{
    if (end > from)
        descend(j->walk, j->step + 1,
                (struct str){ j->text.p + from, end - from },
                j->first && from == 0);
}

static void flush(struct joiner *j)
{
    if (j->pending)
        emit(j, j->from, j->end);
    j->pending = false;
}

static void hold(struct joiner *j, size_t from, size_t end, bool match)
{
    flush(j);
    j->pending = true;
    j->pending_match = match;
    j->from = from;
    j->end = end;
}

/* Whether this piece goes to the one that is held. */
static bool joins(const struct joiner *j, enum cut_behaviour b, bool match,
        bool previous_match)
{
    if (!j->pending)
        return false;
    switch (b) {
    case CUT_CONTIGUOUS: return match == j->pending_match;
    case CUT_WITH_PREVIOUS: return match && !previous_match;
    case CUT_WITH_NEXT: return !match && previous_match;
    default: return false;
    }
}

static void cut_pieces(struct joiner *j, const struct cut *c)
{
    size_t at = 0, from, end;
    bool previous = false;

    while (at < j->text.len) {
        bool found = pattern_find(&c->pattern, j->text, at, &from, &end);
        size_t edge[3] = { at, found ? from : j->text.len,
            found ? end : j->text.len };

        for (int i = 0; i < 2; i++) {
            bool match = (i == 1) != c->invert;

            if (edge[i] == edge[i + 1] ||
                    (c->behaviour == CUT_REMOVED && match))
                continue;
            if (joins(j, c->behaviour, match, previous))
                j->end = edge[i + 1];
            else
                hold(j, edge[i], edge[i + 1], match);
            previous = match;
        }
        at = edge[2];
    }
    flush(j);
}

static void replace_blanks(struct buf *out, struct str text, struct str by)
{
    for (size_t at = 0; at < text.len;) {
        const char *blank = memchr(text.p + at, ' ', text.len - at);
        size_t end = blank ? (size_t)(blank - text.p) : text.len;

        buf_add(out, text.p + at, end - at);
        if (blank)
            buf_add(out, by.p, by.len);
        at = end + (blank != NULL);
    }
}

static bool begins_with(struct str text, struct str with)
{
    return text.len >= with.len && memcmp(text.p, with.p, with.len) == 0;
}

/* The piece as it is to be cut: itself, or a copy with something before it. */
static struct str prepare(const struct walk *w, size_t step, struct str piece,
        bool first)
{
    const struct cut *c = &w->p->cut[step];
    struct buf *spare = &w->p->spare[step];
    struct str blank = c->metaspace ? c->replacement : str_of(" ");
    bool wanted = c->metaspace ? c->scheme == METASPACE_ALWAYS ||
                                         (c->scheme == METASPACE_FIRST && first)
                               : c->add_space;

    if (!c->metaspace && (!wanted || begins_with(piece, blank)))
        return piece;
    buf_clear(spare);
    if (wanted && !begins_with(piece, blank) &&
            !(c->metaspace && begins_with(piece, str_of(" "))))
        buf_add(spare, blank.p, blank.len);
    if (c->metaspace)
        replace_blanks(spare, piece, blank);
    else
        buf_add(spare, piece.p, piece.len);
    return buf_str(spare);
}

static void descend(const struct walk *w, size_t step, struct str piece,
        bool first)
{
    if (step == w->p->count) {
        w->take(w->context, piece);
        return;
    }

    const struct cut *c = &w->p->cut[step];
    struct joiner j = { .walk = w, .step = step, .first = first };

    j.text = prepare(w, step, piece, first);
    if (c->none)
        emit(&j, 0, j.text.len);
    else
        cut_pieces(&j, c);
}

void pretokenise(const struct pretokeniser *p, struct str text, bool first,
        void (*take)(void *context, struct str word), void *context)
{
    struct walk w = { p, take, context };

    if (text.len)
        descend(&w, 0, text, first);
}
