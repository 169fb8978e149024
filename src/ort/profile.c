/* profile.c -- finds where the events of a profile begin and end; what stands
 * in them is profile_event.c's.
 *
 * ONNX Runtime's own spelling, {"cat" : "..., begins an event, and the next
 * such beginning, or the file's end, ends it: brackets and quotes are no guide
 * where nothing is escaped.  At the beginning of a line there is no doubt about
 * it; elsewhere it might stand in a name or in an argument, so what lies before
 * it must be whole.  Of all other spellings we expect JSON: an event ends where
 * its brackets are even.
 *
 *     between --> an event of the runtime's --> between
 *             --> an object in JSON --> between, or (it is the trace) inside
 *             either --> too long: skipping --> between */
#include "ort/profile.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "ort/profile_event.h"

#include <stdlib.h>
#include <string.h>

#define PIECE ((size_t)1 << 16)

/* So many beginnings in the midst of a line are tried as ends of an event. */
#define TRIES_MAX 8

static const char marker[] = "{\"cat\" : \"";
#define MARKER_LEN (sizeof(marker) - 1)

enum state { BETWEEN, RUNTIME_EVENT, JSON_OBJECT, SKIPPING };

struct profile {
    void (*each)(void *context, const struct profile_event *e);
    void *context;
    char *bytes; /* fed, and not yet used */
    char *scratch;
    size_t len;
    size_t cap;  /* of both */
    size_t at;   /* what is before is used */
    size_t seen; /* what is before was searched */
    enum state state;
    int tries;
    int depth; /* of brackets in a JSON object */
    bool in_text, escaped;
    bool by_lines; /* what is too long ends with a line */
    bool inside;   /* the list is a member of an object, which goes on */
    struct profile_tally tally;
};

struct profile *profile_new(
        void (*each)(void *context, const struct profile_event *e),
        void *context)
{
    struct profile *p = alloc_zero(1, sizeof(*p));

    p->each = each;
    p->context = context;
    return p;
}

void profile_free(struct profile *p)
{
    if (!p)
        return;
    free(p->bytes);
    free(p->scratch);
    free(p);
}

/* --- between events ------------------------------------------------------- */

static void go_on_between(struct profile *p, size_t at)
{
    p->at = p->seen = at;
    p->state = BETWEEN;
    p->tries = 0;
}

/* Brackets tell whether the list is complete; the rest had better be blanks
 * and commas.  A byte order mark is no fault. */
static void look_between(struct profile *p, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = p->bytes[p->at + i];

        if (c == '[')
            p->tally.opened = true;
        if (c == ']')
            p->tally.closed = true;
        if ((!c || !strchr(" \t\r\n,[]}\xef\xbb\xbf", c)) &&
                !(p->inside && p->tally.closed))
            p->tally.skipped_bytes++;
    }
    p->at += len;
}

/* 1: JSON may begin here, at a '{'.  0: surely not.  -1: cannot tell yet. */
static int begins_json(const struct profile *p, bool final)
{
    for (size_t i = p->at + 1; i < p->len; i++) {
        if (p->bytes[i] == '"' || p->bytes[i] == '}')
            return 1;
        if (!strchr(" \t\r\n", p->bytes[i]) || i > p->at + 256)
            return 0;
    }
    return final ? 1 : -1;
}

static bool step_between(struct profile *p, bool final)
{
    size_t left = p->len - p->at;
    const char *brace = left ? memchr(p->bytes + p->at, '{', left) : NULL;

    look_between(p, brace ? (size_t)(brace - p->bytes) - p->at : left);
    left = p->len - p->at;
    if (!brace || (left < MARKER_LEN && !final))
        return false;
    p->seen = p->at + 1;
    if (left >= MARKER_LEN && !memcmp(brace, marker, MARKER_LEN)) {
        p->state = RUNTIME_EVENT;
        return true;
    }
    switch (begins_json(p, final)) {
    case 1:
        p->state = JSON_OBJECT;
        p->depth = 1;
        p->in_text = p->escaped = false;
        return true;
    case 0:
        p->tally.skipped_bytes++;
        p->at++;
        return true;
    default: return false;
    }
}

/* --- events --------------------------------------------------------------- */

/* Takes what lies at `at` for an event that ends before `end`.  False: it is
 * not whole, and nothing has changed. */
static bool take_event(struct profile *p, size_t end,
        enum profile_spelling spelling)
{
    struct profile_event e;
    size_t used = 0;
    struct str text = { p->bytes + p->at, end - p->at };

    switch (profile_event_parse(&e, &used, text, spelling, p->scratch)) {
    case PROFILE_NOT_WHOLE: return false;
    case PROFILE_WHOLE_OTHER: p->tally.others++; break;
    case PROFILE_WHOLE:
        p->tally.events++;
        p->tally.closed = false;
        p->each(p->context, &e);
        break;
    }
    go_on_between(p, p->at + used);
    return true;
}

static void give_up(struct profile *p, size_t next)
{
    p->tally.broken++;
    p->tally.closed = false;
    p->tally.skipped_bytes += next - p->at;
    go_on_between(p, next);
}

/* The file ended in it. */
static void cut(struct profile *p)
{
    p->tally.cut_bytes = p->len - p->at;
    p->tally.closed = false;
    go_on_between(p, p->len);
}

static bool skip_if_too_long(struct profile *p)
{
    if (p->len - p->at <= PROFILE_EVENT_MAX)
        return false;
    p->tally.too_long++;
    p->tally.closed = false;
    p->by_lines = p->state == RUNTIME_EVENT;
    p->state = SKIPPING;
    return true;
}

static bool step_runtime_event(struct profile *p, bool final)
{
    const char *next = p->seen < p->len
                               ? memmem(p->bytes + p->seen, p->len - p->seen,
                                         marker, MARKER_LEN)
                               : NULL;

    if (!next && !final) {
        p->seen = p->len - MARKER_LEN + 1; /* it may have begun */
        /* What follows may be spelled otherwise. */
        return p->len - p->at > PROFILE_EVENT_MAX &&
               (take_event(p, p->len, PROFILE_SPELLING_RUNTIME) ||
                       skip_if_too_long(p));
    }

    size_t end = next ? (size_t)(next - p->bytes) : p->len;

    if (take_event(p, end, PROFILE_SPELLING_RUNTIME))
        return true;
    if (!next)
        cut(p);
    else if (p->bytes[end - 1] == '\n' || ++p->tries == TRIES_MAX)
        give_up(p, end);
    else
        p->seen = end + 1;
    return true;
}

/* --- JSON ----------------------------------------------------------------- */

/* Whether the list that begins at `i` is the trace itself. */
static bool is_trace(const struct profile *p, size_t i)
{
    static const char key[] = "\"traceEvents\"";

    while (i > p->at && strchr(" \t\r\n:", p->bytes[i - 1]))
        i--;
    return i - p->at >= strlen(key) &&
           !memcmp(p->bytes + i - strlen(key), key, strlen(key));
}

/* A new object at the beginning of a line, where no value is expected: the one
 * before it was never ended. */
static bool is_fresh(const struct profile *p, size_t newline)
{
    size_t i = newline;

    while (i > p->at && strchr(" \t\r", p->bytes[i - 1]))
        i--;
    return p->bytes[newline + 1] == '{' && p->bytes[newline + 2] == '"' &&
           p->bytes[i - 1] != ':' && p->bytes[i - 1] != '[';
}

/* One byte that matters.  True: it ends the object, or what we took for it. */
static bool step_byte(struct profile *p, size_t i)
{
    char c = p->bytes[i];

    if (p->in_text) {
        p->in_text = p->escaped || c != '"';
        p->escaped = !p->escaped && c == '\\';
        return false;
    }
    if (c == '"') {
        p->in_text = true;
    } else if (c == '[' && p->depth == 1 && is_trace(p, i)) {
        p->tally.opened = p->inside = true;
        go_on_between(p, i + 1);
        return true;
    } else if (c == '{' || c == '[') {
        p->depth++;
    } else if (c == '}' || c == ']') {
        if (--p->depth)
            return false;
        if (!take_event(p, i + 1, PROFILE_SPELLING_JSON))
            give_up(p, i + 1);
        return true;
    }
    return false;
}

static bool step_json_object(struct profile *p, bool final)
{
    static const bool matters[256] = {
        ['"'] = true,
        ['\\'] = true,
        ['\n'] = true,
        ['{'] = true,
        ['}'] = true,
        ['['] = true,
        [']'] = true,
    };

    for (size_t i = p->seen; i < p->len; i++) {
        if (!p->escaped && !matters[(unsigned char)p->bytes[i]])
            continue;
        if (p->bytes[i] == '\n' && i + 2 >= p->len && !final) {
            p->seen = i;
            return skip_if_too_long(p);
        }
        if (p->bytes[i] == '\n' && i + 2 < p->len && is_fresh(p, i)) {
            give_up(p, i + 1);
            return true;
        }
        if (step_byte(p, i))
            return true;
    }
    p->seen = p->len;
    if (!final)
        return skip_if_too_long(p);
    cut(p);
    return true;
}

/* --- more than we want to keep -------------------------------------------- */

/* To where an object may begin: on a new line, or in JSON behind another. */
static bool step_skipping(struct profile *p, bool final)
{
    static const char *const beginnings[] = { "\n{\"", "},{\"", "}, {\"" };
    size_t left = p->len - p->at;
    size_t skip = final ? left : left - (left < 4 ? left : 4);
    bool found = false;

    for (size_t i = 0; i < (p->by_lines ? 1 : LEN(beginnings)); i++) {
        const char *next = left ? memmem(p->bytes + p->at, left, beginnings[i],
                                          strlen(beginnings[i]))
                                : NULL;
        size_t to =
                next ? (size_t)(strchr(beginnings[i], '{') - beginnings[i]) +
                                (size_t)(next - p->bytes) - p->at
                     : left;

        if (next && (!found || to < skip)) {
            skip = to;
            found = true;
        }
    }
    p->tally.skipped_bytes += skip;
    if (found || final)
        go_on_between(p, p->at + skip);
    else
        p->at += skip;
    return found;
}

/* --- the stream ----------------------------------------------------------- */

static bool step(struct profile *p, bool final)
{
    switch (p->state) {
    case RUNTIME_EVENT: return step_runtime_event(p, final);
    case JSON_OBJECT: return step_json_object(p, final);
    case SKIPPING: return step_skipping(p, final);
    default: return step_between(p, final);
    }
}

static void forget_used(struct profile *p)
{
    if (!p->at)
        return;
    memmove(p->bytes, p->bytes + p->at, p->len - p->at);
    p->len -= p->at;
    p->seen -= p->seen < p->at ? p->seen : p->at;
    p->at = 0;
}

static void add(struct profile *p, const char *bytes, size_t len)
{
    if (p->len + len > p->cap) {
        p->cap = 2 * (p->len + len);
        p->bytes = alloc_resize(p->bytes, p->cap);
        p->scratch = alloc_resize(p->scratch, p->cap);
    }
    memcpy(p->bytes + p->len, bytes, len);
    p->len += len;
    p->tally.bytes += len;
}

void profile_feed(struct profile *p, const void *bytes, size_t len)
{
    const char *from = bytes;

    while (len) {
        size_t piece = len < PIECE ? len : PIECE;

        add(p, from, piece);
        while (step(p, false))
            ;
        forget_used(p);
        from += piece;
        len -= piece;
    }
}

const struct profile_tally *profile_end(struct profile *p)
{
    while (step(p, true))
        ;
    return &p->tally;
}

/* --- what an event is ----------------------------------------------------- */

static const char kernel_time[] = "_kernel_time";
static const char fence_before[] = "_fence_before";
static const char fence_after[] = "_fence_after";

static bool ends_with(struct str s, const char *tail)
{
    size_t len = strlen(tail);

    return s.len >= len && !memcmp(s.p + s.len - len, tail, len);
}

static enum profile_kind session_kind(struct str name)
{
    if (str_is(name, "model_run"))
        return PROFILE_RUN;
    if (str_starts(name, "model_loading"))
        return PROFILE_LOADING;
    if (str_is(name, "session_initialization"))
        return PROFILE_INITIALIZATION;
    if (str_is(name, "SequentialExecutor::Execute"))
        return PROFILE_EXECUTOR;
    return PROFILE_OTHER;
}

enum profile_kind profile_kind(const struct profile_event *e)
{
    if (str_is(e->category, "Session"))
        return session_kind(e->name);
    if (str_is(e->category, "Kernel"))
        return PROFILE_DEVICE;
    if (!str_is(e->category, "Node"))
        return PROFILE_OTHER;
    return ends_with(e->name, fence_before) || ends_with(e->name, fence_after)
                   ? PROFILE_FENCE
                   : PROFILE_KERNEL;
}

struct str profile_node_name(const struct profile_event *e)
{
    static const char *const tails[] = { kernel_time, fence_before,
        fence_after };

    for (size_t i = 0; i < LEN(tails); i++)
        if (ends_with(e->name, tails[i]))
            return (struct str){ e->name.p, e->name.len - strlen(tails[i]) };
    return e->name;
}
