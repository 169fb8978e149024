/* passed.c -- what a step of a text is handed and hands on: its cache.
 *
 * The collector follows texts by it (wire/record.h).  Only rows in the CPU's
 * memory are read, of the last of the caches: what lies there depends on all
 * of the text, so two texts of one length are told apart. */
#include "hook/hook.h"
#include "hook/text.h"

#define ROW_BYTES 64 /* of a row so much is looked at */

static bool failed(const struct library *lib, struct ort_status *status)
{
    if (status)
        ORT(lib->api, ReleaseStatus)(status);
    return status != NULL;
}

const void *passed_values(const struct library *lib, const struct ort_value *v)
{
    const struct ort_memory_info *memory = NULL;
    const char *name = NULL;
    void *data = NULL;

    if (lib->minor < ORT_SINCE_GetTensorMemoryInfo || !v ||
            failed(lib, ORT(lib->api, GetTensorMemoryInfo)(v, &memory)) ||
            failed(lib, ORT(lib->api, MemoryInfoGetName)(memory, &name)) ||
            !name || !text_is(name, "Cpu") ||
            failed(lib, ORT(lib->api, GetTensorMutableData)(
                                (struct ort_value *)(uintptr_t)v, &data)))
        return NULL;
    return data;
}

/* Never 0. */
static uint32_t number_of(const void *data)
{
    uint64_t n = (uintptr_t)data * UINT64_C(0x9e3779b97f4a7c15);

    return (uint32_t)(n >> 32) | 1;
}

/* 0: nothing but zeros, as in a buffer that is not filled yet. */
static uint32_t sum(const unsigned char *row, size_t bytes)
{
    uint32_t h = UINT32_C(2166136261);
    unsigned char any = 0;

    for (size_t i = 0; i < bytes; i++) {
        h = (h ^ row[i]) * UINT32_C(16777619);
        any |= row[i];
    }
    return any ? h | 1 : 0;
}

/* A cache is [..., tokens, width].  `back` rows from its end. */
static uint32_t row_number(const struct shape *s, uint64_t back)
{
    uint64_t bytes, tokens, row;
    struct shape one = *s;

    if (!s->data || s->rank < 3 || s->rank > 8)
        return 0;
    tokens = (uint64_t)s->dims[s->rank - 2];
    for (size_t i = 0; i + 1 < s->rank; i++)
        one.dims[i] = 1;
    if (back >= tokens || !shape_size(&one, &row) || !row ||
            !shape_size(s, &bytes) || bytes < tokens * row)
        return 0;
    return sum((const unsigned char *)s->data + (tokens - 1 - back) * row,
            row < ROW_BYTES ? (size_t)row : ROW_BYTES);
}

static bool read_last(const struct library *lib, const char *const *names,
        const struct ort_value *const *v, size_t n, enum role role,
        struct shape *out)
{
    while (n-- > 0)
        if (shape_role(names[n]) == role) {
            if (!v[n] || !shape_read(lib, v[n], out))
                return false;
            out->data = passed_values(lib, v[n]);
            return true;
        }
    return false;
}

void passed_begin(struct record *r, const struct record *run,
        const struct shape *past, const struct shape *states)
{
    *r = (struct record){
        .kind = RECORD_PASSED,
        .passed = { .session = run->run.session, .thread = run->run.thread },
    };
    if (past) {
        r->passed.in = row_number(past, 0);
        r->passed.in_at = past->data ? number_of(past->data) : 0;
    } else if (states) {
        r->passed.in = row_number(states, 0);
        r->flags |= PASSED_STATES_IN;
    }
}

void passed_finish(struct record *r, const struct record *run,
        const struct shape *present, const struct shape *states)
{
    uint32_t rows =
            run->run.sequence < PASSED_ROWS ? run->run.sequence : PASSED_ROWS;

    if (present) {
        r->passed.out_at = present->data ? number_of(present->data) : 0;
        if (r->passed.out_at == r->passed.in_at)
            return; /* one buffer: its last row is not the newest */
        for (uint32_t i = 0; i < rows; i++)
            r->passed.out[i] = row_number(present, i);
    } else if (states) {
        r->passed.out[0] = row_number(states, 0);
        r->flags |= PASSED_STATES_OUT;
    }
}

void passed_in(struct record *r, const struct library *lib,
        const struct record *run, const char *const *names,
        const struct ort_value *const *in, size_t n_in)
{
    struct shape s;
    bool past = run->run.past && read_last(lib, names, in, n_in, ROLE_PAST, &s);
    bool states = !past && read_last(lib, names, in, n_in, ROLE_STATES, &s);

    passed_begin(r, run, past ? &s : NULL, states ? &s : NULL);
}

void passed_out(struct record *r, const struct library *lib,
        const struct record *run, const char *const *names,
        const struct ort_value *const *out, size_t n_out)
{
    struct shape s;
    bool present = read_last(lib, names, out, n_out, ROLE_PRESENT, &s);
    bool states =
            !present && read_last(lib, names, out, n_out, ROLE_STATES, &s);

    passed_finish(r, run, present ? &s : NULL, states ? &s : NULL);
}

void passed_bound(struct record *r, const struct record *run, const void *past,
        const void *present)
{
    *r = (struct record){
        .kind = RECORD_PASSED,
        .passed = { .session = run->run.session,
                .thread = run->run.thread,
                .in_at = past ? number_of(past) : 0,
                .out_at = present ? number_of(present) : 0 },
    };
}
