/* async.c -- inferences by RunAsync, each waited for: async MODEL COUNT.
 *
 * ONNX Runtime calls back on a thread of its own, so the session needs two. */
#include "ort_host.h"

#include <inttypes.h>
#include <semaphore.h>
#include <stdio.h>

const struct ort_api_base *OrtGetApiBase(void);

struct call {
    const struct job *job;
    sem_t done;
    uint64_t sum;
};

static void take(void *user_data, struct ort_value **out, size_t n_out,
        struct ort_status *status)
{
    struct call *c = user_data;

    host_check(c->job->host, status);
    if (n_out != c->job->n_out)
        die("asked for %zu outputs, got %zu", c->job->n_out, n_out);
    c->sum = job_take(c->job, out, c->sum);
    (void)sem_post(&c->done);
}

int main(int argc, char **argv)
{
    struct host h = { 0 };
    struct job j = { 0 };
    struct call c = { .job = &j, .sum = SUM_START };

    if (argc != 3)
        die("use: %s MODEL COUNT", argv[0]);
    host_open(&h, OrtGetApiBase());

    struct ort_options *options = host_options(&h, 2);
    uint64_t count = number(argv[2]);

    job_open(&j, &h, argv[1], options);
    ORT(h.api, ReleaseSessionOptions)(options);
    (void)sem_init(&c.done, 0, 0);
    for (uint64_t i = 0; i < count; i++) {
        struct ort_value *out[JOB_TENSORS] = { NULL };

        host_check(&h, ORT(h.api, RunAsync)(j.session, NULL,
                               (const char *const *)j.in_name,
                               (const struct ort_value *const *)j.in, j.n_in,
                               (const char *const *)j.out_name, j.n_out, out,
                               take, &c));
        while (sem_wait(&c.done) != 0)
            ;
    }
    printf("async %" PRIu64 " %016" PRIx64 "\n", count, c.sum);
    (void)sem_destroy(&c.done);
    job_close(&j);
    host_close(&h);
    return 0;
}
