/* witness.c -- the chain of operators (tools/models/chain.c), each of which
 * times itself:
 *
 *     witness COUNT CHAIN
 *
 * The five operators of the chain are replaced by custom ones that compute the
 * same and add up the time between their own beginning and end.  Prints a line
 * for each inference: how many operators ran, what they took by their own
 * account, and what Run() took, both in nanoseconds.  Whoever measures from
 * outside must find no less than the former and no more than the latter. */
#include "ort_host.h"
#include "os/ticks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WIDTH = 8 };

const struct ort_api_base *OrtGetApiBase(void);

/* OrtCustomOp as it was in version 8, which every later runtime takes. */
struct custom_op {
    uint32_t version;
    void *(*create)(const struct custom_op *op, const struct ort_api *api,
            const void *info);
    const char *(*name)(const struct custom_op *op);
    const char *(*provider)(const struct custom_op *op);
    int (*input_type)(const struct custom_op *op, size_t index);
    size_t (*input_count)(const struct custom_op *op);
    int (*output_type)(const struct custom_op *op, size_t index);
    size_t (*output_count)(const struct custom_op *op);
    void (*compute)(void *kernel, struct ort_kernel_context *context);
    void (*destroy)(void *kernel);
    int (*input_optional)(const struct custom_op *op, size_t index);
    int (*output_optional)(const struct custom_op *op, size_t index);
};

/* What ONNX Runtime is handed is the custom_op, the rest is ours.  It serves as
 * the kernel, too: one has no state. */
struct witness {
    struct custom_op op; /* first */
    const char *name;
    size_t inputs;
    float (*of)(float a, float b);
};

static struct {
    const struct host *host;
    uint64_t ticks; /* in this inference, so far */
    uint64_t operators;
} seen;

static const float *input(struct ort_kernel_context *context, size_t index)
{
    const struct ort_value *value = NULL;
    void *data = NULL;

    const struct host *h = seen.host;

    host_check(h, ORT(h->api, KernelContext_GetInput)(context, index, &value));
    host_check(h, ORT(h->api, GetTensorMutableData)((struct ort_value *)value,
                          &data));
    return data;
}

static float *output(struct ort_kernel_context *context)
{
    static const int64_t shape[] = { 1, WIDTH };
    struct ort_value *value = NULL;
    void *data = NULL;

    const struct host *h = seen.host;

    host_check(h,
            ORT(h->api, KernelContext_GetOutput)(context, 0, shape, 2, &value));
    host_check(h, ORT(h->api, GetTensorMutableData)(value, &data));
    return data;
}

static void compute(void *kernel, struct ort_kernel_context *context)
{
    uint64_t start = ticks_now();
    const struct witness *w = kernel;
    const float *a = input(context, 0);
    const float *b = w->inputs > 1 ? input(context, 1) : a;
    float *y = output(context);

    for (size_t i = 0; i < WIDTH; i++)
        y[i] = w->of(a[i], b[i]);
    seen.operators++;
    seen.ticks += ticks_now() - start;
}

static void *create(const struct custom_op *op, const struct ort_api *api,
        const void *info)
{
    (void)api;
    (void)info;
    return (void *)op;
}

static void destroy(void *kernel)
{
    (void)kernel;
}

static const char *name(const struct custom_op *op)
{
    return ((const struct witness *)op)->name;
}

static const char *provider(const struct custom_op *op)
{
    (void)op;
    return NULL; /* the CPU's */
}

static int type(const struct custom_op *op, size_t index)
{
    (void)op;
    (void)index;
    return ORT_TYPE_FLOAT;
}

static int no(const struct custom_op *op, size_t index)
{
    (void)op;
    (void)index;
    return 0;
}

static size_t inputs(const struct custom_op *op)
{
    return ((const struct witness *)op)->inputs;
}

static size_t one(const struct custom_op *op)
{
    (void)op;
    return 1;
}

static float mul(float a, float b)
{
    return a * b;
}

static float add(float a, float b)
{
    return a + b;
}

static float quotient(float a, float b)
{
    return a / b;
}

static float sub(float a, float b)
{
    return a - b;
}

static float neg(float a, float b)
{
    (void)b;
    return -a;
}

#define OP                                                                    \
    {                                                                         \
        8, create, name, provider, type, inputs, type, one, compute, destroy, \
                no, no                                                        \
    }
static struct witness witnesses[] = {
    { OP, "Mul", 2, mul },
    { OP, "Add", 2, add },
    { OP, "Div", 2, quotient },
    { OP, "Sub", 2, sub },
    { OP, "Neg", 1, neg },
};

static struct ort_custom_domain *add_witnesses(const struct host *h,
        struct ort_options *options)
{
    struct ort_custom_domain *domain = NULL;

    host_check(h, ORT(h->api, CreateCustomOpDomain)("", &domain));
    for (size_t i = 0; i < sizeof(witnesses) / sizeof(witnesses[0]); i++)
        host_check(h, ORT(h->api, CustomOpDomain_Add)(domain, &witnesses[i]));
    host_check(h, ORT(h->api, AddCustomOpDomain)(options, domain));
    return domain;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Printed when all is over: that would be in the way of the next. */
struct account {
    uint64_t operators, ticks, run_ticks;
};

static void take(const struct job *j, struct account *accounts, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        struct ort_value *out[JOB_TENSORS] = { NULL };

        seen.ticks = seen.operators = 0;

        uint64_t start = ticks_now();

        host_check(j->host,
                ORT(j->host->api, Run)(j->session, NULL,
                        (const char *const *)j->in_name,
                        (const struct ort_value *const *)j->in, j->n_in,
                        (const char *const *)j->out_name, j->n_out, out));
        accounts[i] = (struct account){ seen.operators, seen.ticks,
            ticks_now() - start };
        (void)job_take(j, out, SUM_START);
    }
}

int main(int argc, char **argv)
{
    struct host h = { 0 };
    struct job j = { 0 };

    if (argc != 3)
        die("use: %s COUNT CHAIN", argv[0]);

    uint64_t count = number(argv[1]);
    struct account *accounts = calloc(count ? count : 1, sizeof(*accounts));

    if (!accounts)
        die("no memory for %s inferences", argv[1]);
    host_open(&h, OrtGetApiBase());
    seen.host = &h;

    struct ort_options *options = host_options(&h, 1);
    struct ort_custom_domain *domain = add_witnesses(&h, options);

    job_open(&j, &h, argv[2], options);

    uint64_t start_ns = now_ns(), start = ticks_now();

    take(&j, accounts, count);

    double ns = (double)(now_ns() - start_ns) / (double)(ticks_now() - start);

    for (uint64_t i = 0; i < count; i++)
        printf("%" PRIu64 " %.0f %.0f\n", accounts[i].operators,
                ns * (double)accounts[i].ticks,
                ns * (double)accounts[i].run_ticks);
    ORT(h.api, ReleaseSessionOptions)(options);
    job_close(&j);
    ORT(h.api, ReleaseCustomOpDomain)(domain);
    host_close(&h);
    free(accounts);
    return 0;
}
