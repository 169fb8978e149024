/* binding.c -- inferences by RunWithBinding: binding MODEL COUNT.
 *
 * COUNT times into a tensor of ours, then COUNT times into one that ONNX
 * Runtime makes.  Model: one output. */
#include "ort_host.h"

#include <inttypes.h>
#include <stdio.h>

const struct ort_api_base *OrtGetApiBase(void);

/* Only this program uses it, so it is not in wire/ort_api.h. */
enum { SLOT_GET_BOUND_OUTPUT_VALUES = 140 };
typedef struct ort_status *(*get_bound_output_values)(
        const struct ort_binding *binding, struct ort_allocator *allocator,
        struct ort_value ***out, size_t *count);

/* The outputs' array as ONNX Runtime gives it: ours to free. */
static uint64_t take_bound(const struct job *j, const struct ort_binding *b,
        uint64_t sum)
{
    const struct ort_api *api = j->host->api;
    struct ort_allocator *allocator = NULL;
    struct ort_value **out = NULL;
    size_t n_out = 0;

    host_check(j->host, ORT(api, GetAllocatorWithDefaultOptions)(&allocator));
    host_check(j->host,
            ((get_bound_output_values)api->slot[SLOT_GET_BOUND_OUTPUT_VALUES])(
                    b, allocator, &out, &n_out));
    if (n_out != 1)
        die("%zu outputs are bound, not 1", n_out);
    sum = job_take(j, out, sum);
    host_check(j->host, ORT(api, AllocatorFree)(allocator, out));
    return sum;
}

static uint64_t repeat(const struct job *j, const struct ort_binding *b,
        uint64_t count)
{
    uint64_t sum = SUM_START;

    for (uint64_t i = 0; i < count; i++) {
        host_check(j->host,
                ORT(j->host->api, RunWithBinding)(j->session, NULL, b));
        sum = take_bound(j, b, sum);
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct host h = { 0 };
    struct job j = { 0 };
    struct ort_binding *b = NULL;
    struct ort_value *out = NULL;

    if (argc != 3)
        die("use: %s MODEL COUNT", argv[0]);
    host_open(&h, OrtGetApiBase());
    job_open_alone(&j, &h, argv[1]);

    uint64_t count = number(argv[2]);

    /* One plain run makes an output tensor of the right shape. */
    host_check(&h,
            ORT(h.api, Run)(j.session, NULL, (const char *const *)j.in_name,
                    (const struct ort_value *const *)j.in, j.n_in,
                    (const char *const *)j.out_name, 1, &out));
    host_check(&h, ORT(h.api, CreateIoBinding)(j.session, &b));
    for (size_t i = 0; i < j.n_in; i++)
        host_check(&h, ORT(h.api, BindInput)(b, j.in_name[i], j.in[i]));

    host_check(&h, ORT(h.api, BindOutput)(b, j.out_name[0], out));
    printf("ours %" PRIu64 " %016" PRIx64 "\n", count, repeat(&j, b, count));
    ORT(h.api, ClearBoundOutputs)(b);
    host_check(&h, ORT(h.api, BindOutputToDevice)(b, j.out_name[0], h.memory));
    printf("device %" PRIu64 " %016" PRIx64 "\n", count, repeat(&j, b, count));

    ORT(h.api, ReleaseValue)(out);
    ORT(h.api, ReleaseIoBinding)(b);
    job_close(&j);
    host_close(&h);
    return 0;
}
