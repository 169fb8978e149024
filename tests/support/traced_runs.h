/* traced_runs.h -- for tests of hook/ops: a session whose inferences run made
 * kernels, and the records that come of it. */
#pragma once

#include "fake_kernels.h"
#include "hooked.h"

static struct ort_value image_value = { .type = ORT_TYPE_FLOAT,
    .rank = 4,
    .dims = { 1, 3, 8, 8 } };
static struct ort_value weight_value = { .type = ORT_TYPE_FLOAT,
    .rank = 1,
    .dims = { 5 } };

static struct fake_kernel conv, relu, branch;
static struct ort_session *const session = (struct ort_session *)0x5000;
static uintptr_t *words; /* of the library's tables */

static inline struct fake_kernel kernel_of_type(const char *name,
        const char *type, size_t index, int table)
{
    return (struct fake_kernel){
        .table = words + table + TABLE_HEAD,
        .name = name,
        .type = type,
        .index = index,
        .n_in = 2,
        .n_out = 1,
        .in = { &image_value, &weight_value },
        .out = { &image_value },
        .in_name = { "x", "w" },
        .out_name = { "y" },
        .constant = { false, true },
    };
}

static inline void make_kernels(enum fake_form form)
{
    conv = kernel_of_type("conv1", "Conv", 3, T_CHILD);
    relu = kernel_of_type("a name that is longer than others", "Relu", 4,
            T_SECOND);
    branch = kernel_of_type("", "If", 17, T_GRANDCHILD);
    fake_kernel_make(&conv, form);
    fake_kernel_make(&relu, form);
    fake_kernel_make(&branch, form);
}

/* The hook, with that setting of ORTMETER_OPS, in a runtime of that version. */
static inline void start(const char *ops, const char *version)
{
    CHECK(setenv("ORTMETER_OPS", ops, 1) == 0);
    hooked_listen();
    channel_init();
    channel_reserve(1 << 16);
    words = fake_kernels_words();
    hooked.api = fake_runtime(0, version);

    struct candidate c = fake_kernels_candidate(0);

    CHECK(patch(&c));
    make_kernels(FAKE_LONG);
}

/* What the graph does, while Run is under way. */
static inline void conv_relu(void)
{
    struct fake_frame frame = { 0 };

    fake_kernel_run(&conv, &frame);
    fake_kernel_run(&relu, &frame);
}

/* An inference that does so. */
static inline void infer(void (*graph)(void))
{
    const struct ort_value *in[] = { &image_value };
    const char *const in_names[] = { "x" }, *const out_names[] = { "y" };
    struct ort_value *out[] = { &image_value };

    fake.during = graph;
    CHECK(!CALL(Run)(session, NULL, in_names, in, 1, out_names, 1, out));
}

/* The n-th record of that kind, from 0; a test failure and zeros: there is
 * none. */
static inline const struct record *nth(enum record_kind kind, size_t n)
{
    static const struct record none;

    (void)hooked_read();
    for (size_t i = 0; i < hooked.count; i++)
        if (hooked.records[i].kind == kind && n-- == 0)
            return &hooked.records[i];
    CHECK(kind == RECORD_KINDS); /* there is none */
    return &none;
}

/* Lines of kernels in all LINES of a trace. */
static inline size_t count_lines(uint32_t trace)
{
    size_t n = 0;

    (void)hooked_read();
    for (size_t i = 0; i < hooked.count; i++) {
        const struct record *r = &hooked.records[i];

        for (uint16_t k = 0; r->kind == RECORD_LINES && k < r->flags; k++)
            n += r->lines.trace == trace &&
                 (r->lines.line[k].kernel & LINE_KIND_BITS) == LINE_KERNEL;
    }
    return n;
}
