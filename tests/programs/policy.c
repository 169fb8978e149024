/* policy.c -- a program that lets ONNX Runtime ask which providers to use:
 *
 *     policy MODEL COUNT
 *
 * Prints the names offered to the delegate and how often it was asked.  A
 * guest that adds a provider of its own would change both. */
#include "ort_host.h"

#include <inttypes.h>
#include <stdio.h>

const struct ort_api_base *OrtGetApiBase(void);

/* Only this program uses it, so it is not in wire/ort_api.h. */
enum { SLOT_SET_DELEGATE = 306 };
typedef struct ort_status *(*delegate)(const struct ort_device **devices,
        size_t n_devices, const void *model, const void *runtime,
        const struct ort_device **selected, size_t max, size_t *n_selected,
        void *state);
typedef struct ort_status *(*set_delegate)(struct ort_options *options,
        delegate choose, void *state);

static unsigned asked;

static struct ort_status *choose(const struct ort_device **devices,
        size_t n_devices, const void *model, const void *runtime,
        const struct ort_device **selected, size_t max, size_t *n_selected,
        void *state)
{
    const struct host *h = state;

    (void)model;
    (void)runtime;
    asked++;
    for (size_t i = 0; i < n_devices; i++)
        printf("offered %s\n", ORT(h->api, EpDevice_EpName)(devices[i]));
    if (max == 0 || n_devices == 0)
        return ORT(h->api, CreateStatus)(1, "nothing to choose from");
    selected[0] = devices[n_devices - 1]; /* the CPU is always the last */
    *n_selected = 1;
    return NULL;
}

int main(int argc, char **argv)
{
    struct host h = { 0 };
    struct job j = { 0 };

    if (argc != 3)
        die("use: %s MODEL COUNT", argv[0]);
    host_open(&h, OrtGetApiBase());

    struct ort_options *options = host_options(&h, 1);
    uint64_t count = number(argv[2]);

    host_check(&h, ((set_delegate)h.api->slot[SLOT_SET_DELEGATE])(options,
                           choose, &h));
    job_open(&j, &h, argv[1], options);
    ORT(h.api, ReleaseSessionOptions)(options);
    printf("asked %u\n", asked);
    printf("policy %" PRIu64 " %016" PRIx64 "\n", count, job_repeat(&j, count));
    job_close(&j);
    host_close(&h);
    return 0;
}
