/* kernel_runs.h -- runs of a session whose kernels can be timed. */
#pragma once

#include "fake_kernels.h"
#include "fake_ops.h"

/* The operator's kernels; filled in by start(). */
static struct fake_kernel first, second, inner, helper;

static const struct fake_node plain[] = {
    { .name = "a", .op_type = "Conv", .kernel = &first },
    { .name = "b", .op_type = "Relu", .kernel = &second }, { .name = NULL }
};

static const struct ort_api *api;
static struct ort_session *session;

static inline void start(const char *asked, const struct fake_node *nodes)
{
    uintptr_t *words = fake_kernels_words();
    struct candidate c = fake_kernels_library();

    api = fake_start(asked, 30);
    CHECK(kernels_install(&c));
    fake_library(api)->times_kernels = true;
    first = (struct fake_kernel){ words + T_CHILD + TABLE_HEAD, 300, NULL, 0 };
    second = (struct fake_kernel){ words + T_SECOND + TABLE_HEAD, 40, NULL, 0 };
    inner = helper = first;
    inner.took_ns = 5;
    helper.took_ns = 7;
    fake.nodes = nodes;
    session = fake_load(api, fake_env(), NULL);
    (void)fake_count(RECORD_NONE);
}

/* With inputs whose shapes are known: none. */
static inline bool run(void)
{
    const struct ort_value *in = NULL;
    struct ort_status *status =
            ORT(api, Run)(session, NULL, NULL, &in, 0, NULL, 0, NULL);

    if (status)
        ORT(api, ReleaseStatus)(status);
    return !status;
}

/* What a run was: described, timed or left alone. */
static inline char kind_of_run(void)
{
    struct record r;
    bool profiled = false;
    int before = fake.profiled_runs;

    CHECK(run());
    profiled = fake.profiled_runs > before;
    CHECK(fake_record_of(RECORD_RUN, &r));
    CHECK_INT(profiled,
            (r.flags & (FLAG_SAMPLED | FLAG_TIMED)) == FLAG_SAMPLED);
    return r.flags & FLAG_TIMED ? 'T' : r.flags & FLAG_SAMPLED ? 'D' : '-';
}

static inline void check_kinds(const char *expected)
{
    char got[64] = "";

    for (size_t i = 0; expected[i]; i++)
        got[i] = kind_of_run();
    CHECK(strcmp(got, expected) == 0);
    if (strcmp(got, expected) != 0)
        (void)fprintf(stderr, "%s, not %s\n", got, expected);
}
