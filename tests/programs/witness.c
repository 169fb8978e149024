/* witness.c -- the chain of operators (tools/models/chain.c), each of which
 * times itself:
 *
 *     witness COUNT CHAIN [helped]
 *
 * The five operators of the chain are replaced by custom ones that compute the
 * same and add up the time between their own beginning and end.  Prints a line
 * for each inference: how many operators ran, what they took by their own
 * account, and what Run() took, both in nanoseconds.  Whoever measures from
 * outside must find no less than the former and no more than the latter.
 *
 * "helped": their additions are ONNX Runtime's own, which they have it invoke.
 */
#include "ort_host.h"
#include "os/ticks.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Only this program uses them, so they are not in wire/ort_api.h. */
enum { SLOT_CREATE_OP = 213, SLOT_INVOKE_OP = 214, SLOT_RELEASE_OP = 215 };
struct ort_op;
typedef struct ort_status *(*create_op)(const void *info, const char *name,
        const char *domain, int version, const char **types,
        const int *type_values, int type_count, const void *const *attributes,
        int attribute_count, int inputs, int outputs, struct ort_op **out);
typedef struct ort_status *(
        *invoke_op)(const struct ort_kernel_context *context,
        const struct ort_op *op, const struct ort_value *const *in, int inputs,
        struct ort_value *const *out, int outputs);
typedef void (*release_op)(struct ort_op *op);

static struct {
    const struct host *host;
    bool helped;
    struct ort_op *adds; /* ONNX Runtime's addition; NULL: not yet */
    uint64_t ticks;      /* in this inference, so far */
    uint64_t operators;
} seen;

static const struct ort_value *input(struct ort_kernel_context *context,
        size_t index)
{
    const struct host *h = seen.host;
    const struct ort_value *value = NULL;

    host_check(h, ORT(h->api, KernelContext_GetInput)(context, index, &value));
    return value;
}

static struct ort_value *output(struct ort_kernel_context *context)
{
    static const int64_t shape[] = { 1, WIDTH };
    const struct host *h = seen.host;
    struct ort_value *value = NULL;

    host_check(h,
            ORT(h->api, KernelContext_GetOutput)(context, 0, shape, 2, &value));
    return value;
}

static float *data_of(const struct ort_value *value)
{
    const struct host *h = seen.host;
    void *data = NULL;

    host_check(h, ORT(h->api, GetTensorMutableData)((struct ort_value *)value,
                          &data));
    return data;
}

static void have_added(struct ort_kernel_context *context)
{
    const struct host *h = seen.host;
    const struct ort_value *in[] = { input(context, 0), input(context, 1) };
    struct ort_value *out[] = { output(context) };

    host_check(h, ((invoke_op)h->api->slot[SLOT_INVOKE_OP])(context, seen.adds,
                          in, 2, out, 1));
}

static void compute_here(const struct witness *w,
        struct ort_kernel_context *context)
{
    const float *a = data_of(input(context, 0));
    const float *b = w->inputs > 1 ? data_of(input(context, 1)) : a;
    float *y = data_of(output(context));

    for (size_t i = 0; i < WIDTH; i++)
        y[i] = w->of(a[i], b[i]);
}

static void compute(void *kernel, struct ort_kernel_context *context)
{
    uint64_t start = ticks_now();
    const struct witness *w = kernel;

    if (seen.helped && strcmp(w->name, "Add") == 0)
        have_added(context);
    else
        compute_here(w, context);
    seen.operators++;
    seen.ticks += ticks_now() - start;
}

static void *create(const struct custom_op *op, const struct ort_api *api,
        const void *info)
{
    const char *types[] = { "T" };
    const int type_values[] = { ORT_TYPE_FLOAT };

    if (seen.helped && !seen.adds)
        host_check(seen.host,
                ((create_op)api->slot[SLOT_CREATE_OP])(info, "Add", "", 14,
                        types, type_values, 1, NULL, 0, 2, 1, &seen.adds));
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

    if (argc != 3 && argc != 4)
        die("use: %s COUNT CHAIN [helped]", argv[0]);
    seen.helped = argc == 4;

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
    if (seen.adds)
        ((release_op)h.api->slot[SLOT_RELEASE_OP])(seen.adds);
    job_close(&j);
    ORT(h.api, ReleaseCustomOpDomain)(domain);
    host_close(&h);
    free(accounts);
    return 0;
}
