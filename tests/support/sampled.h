/* sampled.h -- one sampler on some processes, driven by a test. */
#pragma once

#include "base/alloc.h"
#include "os/clock.h"
#include "sample/process/targets.h"
#include "sample/sampler_table.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLED_CAP = 16384 };

struct sampled {
    struct subjects *subjects;
    struct targets *targets;
    const struct sampler *sampler;
    void *state;
    int rc; /* of its open() */
    struct error error;
    struct batch batch;
};

static inline void sampled_open(struct sampled *s,
        const struct sampler *sampler, const char *root,
        const struct target_plan *plan, bool costly)
{
    *s = (struct sampled){ .sampler = sampler };
    s->subjects = subjects_new("host");
    if (plan)
        CHECK_INT(targets_open(&s->targets, root, plan, s->subjects, &s->error),
                0);
    s->state = alloc_zero(1, sampler->state_size);
    s->batch.items = alloc_zero(SAMPLED_CAP, sizeof(*s->batch.items));
    s->batch.cap = SAMPLED_CAP;
    s->rc = sampler->open(s->state,
            &(struct sample_context){ .root = root,
                    .subjects = s->subjects,
                    .targets = s->targets,
                    .costly = costly },
            &s->error);
}

static inline void sampled_read(struct sampled *s)
{
    s->batch.count = 0;
    s->batch.time_ns = mono_ns();
    s->sampler->read(s->state, &s->batch);
    CHECK_INT(s->batch.dropped, 0);
}

static inline const struct reading *sampled_find(const struct sampled *s,
        enum metric_id metric, uint32_t subject)
{
    for (size_t i = 0; i < s->batch.count; i++)
        if (s->batch.items[i].metric == metric &&
                s->batch.items[i].subject == subject)
            return &s->batch.items[i];
    return NULL;
}

/* NAN: it was not read. */
static inline double sampled_value(const struct sampled *s,
        enum metric_id metric, uint32_t subject)
{
    const struct reading *r = sampled_find(s, metric, subject);

    return r ? r->value : (double)NAN;
}

/* Why it is missing, or "". */
static inline const char *sampled_reason(const struct sampled *s,
        enum metric_id metric, uint32_t subject)
{
    for (size_t i = 0; i < subjects_missing_count(s->subjects); i++) {
        const struct absence_note *m = subjects_missing_at(s->subjects, i);

        if (m->metric == metric && m->subject == subject)
            return m->reason;
    }
    return "";
}

static inline void sampled_close(struct sampled *s)
{
    s->sampler->close(s->state);
    free(s->state);
    free(s->batch.items);
    targets_close(s->targets);
    subjects_free(s->subjects);
}

#define CHECK_VALUE(sampled, metric, subject, want)                            \
    do {                                                                       \
        double got_ = sampled_value((sampled), METRIC_##metric, (subject));    \
        double want_ = (double)(want);                                         \
        if (!(fabs(got_ - want_) <= 1e-9 * fabs(want_))) {                     \
            test_failures++;                                                   \
            (void)fprintf(stderr, "%s:%d: %s is %.12g, not %.12g\n", __FILE__, \
                    __LINE__, #metric, got_, want_);                           \
        }                                                                      \
    } while (0)
