/* fuzz_bursts.c -- any bytes as a profile, behind runs that we know: eight
 * bytes each, of which there are as many as the first byte says. */
#include "ort/bursts.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
    const struct burst_runs *runs;
    uint32_t found;
    uint64_t last; /* inference */
    uint32_t deepest;
    uint64_t digest;
};

static void add(struct seen *s, uint64_t number)
{
    s->digest = (s->digest ^ number) * UINT64_C(1099511628211);
}

static void add_text(struct seen *s, const char *text)
{
    for (; text && *text; text++)
        add(s, (unsigned char)*text);
}

static void found(void *to, const struct operator* o)
{
    struct seen *s = to;

    if (o->id != ++s->found || o->session != 3)
        abort();
    add_text(s, o->name);
    add_text(s, o->op_type);
    add_text(s, o->provider);
    add_text(s, o->inputs);
    add_text(s, o->outputs);
}

/* One run's nodes come together, and those deep inside not alone. */
static void ran(void *to, const struct operator_run *r)
{
    struct seen *s = to;

    if (!r->inference || r->inference > s->runs->count)
        abort();

    const struct burst_run *run = &s->runs->items[r->inference - 1];

    if (!r->operator_id || r->operator_id > s->found || r->depth > 64 ||
            r->start_ns < run->start_ns || r->bracketed || r->kernel_ns)
        abort();
    if (r->inference != s->last && s->deepest > 0)
        abort();
    s->last = r->inference;
    s->deepest = r->depth;
    add(s, r->inference);
    add(s, r->operator_id);
    add(s, r->depth);
    add(s, r->start_ns);
}

static void feed(struct seen *s, const uint8_t *data, size_t size, size_t piece)
{
    const struct samples_sink sink = { s, found, ran };
    uint32_t next_id = 0;
    struct burst_reader *r = burst_reader_new(s->runs, 3, &next_id, &sink);

    for (size_t at = 0; at < size; at += piece)
        burst_reader_feed(r, data + at, piece < size - at ? piece : size - at);
    burst_reader_end(r);
    if (s->found != next_id || s->deepest)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct burst_runs runs = { 0 };
    struct seen whole = { .runs = &runs }, parts = { .runs = &runs };
    size_t count = size ? data[0] % 16 : 0, piece = size ? 1 + data[0] / 8 : 1;

    if (size)
        data++, size--;
    for (size_t i = 0; i < count && size >= 8; i++) {
        uint64_t word;

        memcpy(&word, data, sizeof(word));
        data += 8;
        size -= 8;
        bursts_add(&runs,
                &(struct burst_run){ runs.count + 1, word >> 8, word & 7 });
    }
    feed(&whole, data, size, size + 1);
    feed(&parts, data, size, piece);
    if (whole.digest != parts.digest)
        abort();
    bursts_release(&runs);
    return 0;
}
