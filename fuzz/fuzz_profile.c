#include "ort/profile.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
    uint64_t events;
    uint64_t digest;
};

static void add(struct seen *s, struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        s->digest = s->digest * 31 + (unsigned char)text.p[i];
}

/* Touches every byte that is handed out. */
static void take(void *to, const struct profile_event *e)
{
    struct seen *s = to;

    if (e->duration_ns < 0 || e->start_ns == PROFILE_ABSENT || !e->name.len)
        abort();
    s->events++;
    s->digest = s->digest * 31 + (uint64_t)profile_kind(e);
    add(s, e->category);
    add(s, profile_node_name(e));
    add(s, e->op_name);
    add(s, e->provider);
    add(s, e->input_type_shape);
    add(s, e->output_type_shape);
    add(s, e->thread_scheduling_stats);
    add(s, e->parent_name);
}

static struct profile_tally feed(struct seen *s, const uint8_t *data,
        size_t size, size_t piece)
{
    struct profile *p = profile_new(take, s);

    for (size_t at = 0; at < size; at += piece)
        profile_feed(p, data + at, piece < size - at ? piece : size - at);

    struct profile_tally tally = *profile_end(p);

    profile_free(p);
    return tally;
}

/* However it is fed, the same is read; and every byte is accounted for once at
 * most. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct seen whole = { 0 }, parts = { 0 };
    size_t piece = size ? 1 + data[0] % 32 : 1;
    struct profile_tally one = feed(&whole, data, size, size + 1);
    struct profile_tally other = feed(&parts, data, size, piece);

    if (one.bytes != size || one.events != whole.events ||
            one.skipped_bytes + one.cut_bytes > size)
        abort();
    if (memcmp(&one, &other, sizeof(one)) != 0 || whole.digest != parts.digest)
        abort();
    return 0;
}
