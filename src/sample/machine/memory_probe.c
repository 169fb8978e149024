#include "sample/machine/memory_probe.h"

#include "base/sort.h"
#include "os/clock.h"
#include "sample/sampler_table.h"

#include <errno.h>

enum { PARTS = 5, PART_LOADS = 400 };

/* Sattolo's way: a permutation that is one cycle. */
void memory_probe_init(struct memory_probe *p)
{
    uint32_t random = 1;

    for (uint32_t i = 0; i < MEMORY_PROBE_LINES; i++)
        p->lines[i].next = i;
    for (uint32_t i = MEMORY_PROBE_LINES - 1; i > 0; i--) {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;

        uint32_t other = random % i, kept = p->lines[i].next;

        p->lines[i].next = p->lines[other].next;
        p->lines[other].next = kept;
    }
}

double memory_probe_load_s(struct memory_probe *p)
{
    double parts[PARTS];
    uint32_t at = 0;

    for (int i = 0; i < PARTS; i++) {
        uint64_t start_ns = mono_ns();

        for (int n = 0; n < PART_LOADS; n++)
            at = p->lines[at].next;
        p->end = at; /* stored, so that nobody leaves the loads out */
        parts[i] = (double)(mono_ns() - start_ns) / PART_LOADS / 1e9;
    }
    sort_doubles(parts, PARTS);
    return parts[PARTS / 2];
}

static int probe_open(void *state, const struct sample_context *c,
        struct error *e)
{
    if (*c->root) {
        subjects_missing(c->subjects, METRIC_host_memory_load_seconds, 0,
                "a recorded machine has no memory to try");
        return fail(e, -ENODEV, "a recorded machine has no memory to try");
    }
    memory_probe_init(state);
    return 0;
}

static void probe_read(void *state, struct batch *out)
{
    batch_add(out, METRIC_host_memory_load_seconds, 0,
            memory_probe_load_s(state));
}

static void probe_close(void *state)
{
    (void)state;
}

const struct sampler sampler_memory_probe = {
    .name = "memory-probe",
    .about = "how long a load from memory takes, which neighbours slow",
    .state_size = sizeof(struct memory_probe),
    .default_hz = 4,
    .most_hz = 50,
    .open = probe_open,
    .read = probe_read,
    .close = probe_close,
};
