/* driven.h -- a sampler driven by a test: opened on a tree, read at moments of
 * the test's choosing, and asked what it told. */
#pragma once

#include "base/alloc.h"
#include "sample/process/targets.h"
#include "sample/sampler.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct driven {
    const struct sampler *sampler;
    void *state;
    int rc; /* of open() */
    struct error error;
    struct subjects *subjects;
    struct targets *targets;
    struct reading items[1024];
    struct batch batch; /* of the last read */
};

/* With the processes of these pids looked at, if there are any. */
static inline struct driven *driven_open_on(const struct sampler *sampler,
        const char *root, const uint64_t *pids, size_t pid_count)
{
    struct driven *s = alloc_zero(1, sizeof(*s));
    struct sample_context c = { .root = root };
    struct target_plan plan = { .pids = pids, .pid_count = pid_count };

    s->sampler = sampler;
    s->state = alloc_zero(1, sampler->state_size);
    s->subjects = c.subjects = subjects_new("test");
    if (pid_count)
        CHECK_INT(
                targets_open(&s->targets, root, &plan, s->subjects, &s->error),
                0);
    c.targets = s->targets;
    s->rc = sampler->open(s->state, &c, &s->error);
    return s;
}

static inline struct driven *driven_open(const struct sampler *sampler,
        const char *root)
{
    return driven_open_on(sampler, root, NULL, 0);
}

static inline void driven_read(struct driven *s, uint64_t time_ns)
{
    s->batch = (struct batch){ s->items, 0, 1024, 0, time_ns };
    s->sampler->read(s->state, &s->batch);
    CHECK_INT(s->batch.dropped, 0);
}

static inline void driven_close(struct driven *s)
{
    s->sampler->close(s->state);
    targets_close(s->targets);
    subjects_free(s->subjects);
    free(s->state);
    free(s);
}

/* The subject of that name; 0: there is none. */
static inline uint32_t driven_subject(const struct driven *s, const char *name)
{
    for (size_t i = 1; i < subjects_count(s->subjects); i++)
        if (strcmp(subjects_get(s->subjects, (uint32_t)i)->name, name) == 0)
            return (uint32_t)i;
    return 0;
}

/* What the last read told of a subject, or NAN. */
static inline double driven_value(const struct driven *s, enum metric_id metric,
        const char *subject)
{
    uint32_t number = driven_subject(s, subject);

    for (size_t i = 0; number && i < s->batch.count; i++)
        if (s->items[i].metric == metric && s->items[i].subject == number)
            return s->items[i].value;
    return NAN;
}

/* Why a metric is missing, or "". */
static inline const char *driven_missing(const struct driven *s,
        enum metric_id metric, const char *subject)
{
    uint32_t number = driven_subject(s, subject);

    for (size_t i = 0; i < subjects_missing_count(s->subjects); i++) {
        const struct absence_note *n = subjects_missing_at(s->subjects, i);

        if (n->metric == metric && n->subject == number)
            return n->reason;
    }
    return "";
}

#define CHECK_REAL(got, want)                                                  \
    do {                                                                       \
        double got_ = (got), want_ = (want);                                   \
        if (!(fabs(got_ - want_) <= 1e-9 * (1 + fabs(want_)))) {               \
            test_failures++;                                                   \
            (void)fprintf(stderr, "%s:%d: %s is %.17g, not %.17g\n", __FILE__, \
                    __LINE__, #got, got_, want_);                              \
        }                                                                      \
    } while (0)

#define CHECK_TEXT(got, want)                                                  \
    do {                                                                       \
        const char *text_ = (got);                                             \
        if (!text_ || strcmp(text_, (want)) != 0) {                            \
            test_failures++;                                                   \
            (void)fprintf(stderr, "%s:%d: %s is \"%s\"\n", __FILE__, __LINE__, \
                    #got, text_ ? text_ : "(null)");                           \
        }                                                                      \
    } while (0)

#define CHECK_ABSENT(got) CHECK(isnan(got))
