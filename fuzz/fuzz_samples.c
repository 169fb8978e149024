/* fuzz_samples.c -- any bytes as the hook's records of operators, of which each
 * that was taken is told once, of an operator that was told before. */
#include "ort/samples.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
    struct sample_place place;
    uint32_t found;
    size_t ran;
};

static void found(void *to, const struct operator* o)
{
    struct seen *s = to;

    if (o->id != ++s->found || o->session != s->place.session)
        abort();
}

static void ran(void *to, const struct operator_run *r)
{
    struct seen *s = to;

    s->ran++;
    if (r->inference != s->place.inference || !r->operator_id ||
            r->operator_id > s->found || r->depth > 64 ||
            (r->bracketed && !r->kernel_ns))
        abort();
}

/* Few of each, so that they meet. */
static void narrow(struct record *r)
{
    static const uint8_t kinds[] = { RECORD_TEXT, RECORD_OPERATOR,
        RECORD_OPERATOR_SIZES, RECORD_OPERATOR_RUN, RECORD_SAMPLE };

    r->kind = kinds[r->kind % sizeof(kinds)];
    switch (r->kind) {
    case RECORD_TEXT: r->text.hash %= 8; break;
    case RECORD_OPERATOR: r->operator_found.id %= 8; break;
    case RECORD_OPERATOR_SIZES: r->operator_sizes.id %= 8; break;
    case RECORD_OPERATOR_RUN:
        r->operator_run.id %= 16;
        r->operator_run.sample %= 4;
        r->operator_run.thread %= 4;
        break;
    default: r->sample.id %= 4; break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct samples samples = { 0 };
    struct texts texts = { 0 };
    struct seen seen = { .found = 0 };
    const struct samples_sink sink = { &seen, found, ran };
    uint32_t next_id = 0;
    size_t taken = 0;
    struct record r;

    for (; size >= sizeof(r); data += sizeof(r), size -= sizeof(r)) {
        memcpy(&r, data, sizeof(r));
        narrow(&r);
        if (r.kind == RECORD_TEXT) {
            (void)texts_take(&texts, &r);
        } else if (r.kind == RECORD_SAMPLE) {
            seen.place.sample = r.sample.id;
            seen.place.session = 1 + r.sample.thread % 4;
            seen.place.inference++;
            seen.place.start_ns = r.sample.thread;
            samples_close(&samples, &seen.place, &texts, &next_id, &sink);
        } else if (samples_take(&samples, &r)) {
            taken += r.kind == RECORD_OPERATOR_RUN;
        }
    }
    if (seen.ran + samples.count != taken || seen.found != next_id)
        abort();
    samples_release(&samples);
    texts_release(&texts);
    return 0;
}
