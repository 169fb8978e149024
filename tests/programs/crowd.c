/* crowd.c -- inferences beside each other:
 *
 *     crowd MODE SESSIONS THREADS COUNT LIBRARY MODEL [INPUT=1x3x48x192...]
 *
 * MODE is "run", "parallel" (ONNX Runtime runs operators of one inference side
 * by side), "async" (RunAsync, six under way in each thread) or both,
 * "async-parallel".  The k-th of a thread's COUNT inferences goes to session
 * (thread + k) modulo their number.  Prints how many ran, and the checksum of
 * one inference, which every other must equal. */
#include "ort_host.h"

#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 32, SESSIONS = 32, UNDER_WAY = 6 };

static struct {
    struct job job[SESSIONS];
    size_t sessions;
    uint64_t count, sum;
    bool async;
} all;

struct call {
    const struct job *job;
    sem_t *done;
    struct ort_value *out[JOB_TENSORS];
};

static void taken(void *user_data, struct ort_value **out, size_t n_out,
        struct ort_status *status)
{
    struct call *c = user_data;

    host_check(c->job->host, status);
    (void)n_out;
    if (job_take(c->job, out, SUM_START) != all.sum)
        die("another result");
    (void)sem_post(c->done);
}

static void start(struct call *c)
{
    const struct job *j = c->job;

    memset(c->out, 0, sizeof(c->out));
    host_check(j->host, ORT(j->host->api, RunAsync)(j->session, NULL,
                                (const char *const *)j->in_name,
                                (const struct ort_value *const *)j->in, j->n_in,
                                (const char *const *)j->out_name, j->n_out,
                                c->out, taken, c));
}

static void await_one(sem_t *done)
{
    while (sem_wait(done) != 0)
        ;
}

/* Rounds of six: which call is over is not known, so all are awaited. */
static void work_async(size_t thread)
{
    struct call calls[UNDER_WAY];
    sem_t done;

    (void)sem_init(&done, 0, 0);
    for (uint64_t k = 0; k < all.count;) {
        size_t n = 0;

        for (; n < UNDER_WAY && k < all.count; n++, k++) {
            calls[n].job = &all.job[(thread + k) % all.sessions];
            calls[n].done = &done;
            start(&calls[n]);
        }
        while (n-- > 0)
            await_one(&done);
    }
    (void)sem_destroy(&done);
}

static void *work(void *argument)
{
    size_t thread = (size_t)(uintptr_t)argument;

    if (all.async) {
        work_async(thread);
        return NULL;
    }
    for (uint64_t k = 0; k < all.count; k++)
        if (job_run(&all.job[(thread + k) % all.sessions], SUM_START) !=
                all.sum)
            die("another result");
    return NULL;
}

int main(int argc, char **argv)
{
    struct host h = { 0 };
    pthread_t threads[THREADS];

    if (argc < 7)
        die("use: %s MODE SESSIONS THREADS COUNT LIBRARY MODEL [SHAPE...]",
                argv[0]);

    size_t n_threads = number(argv[3]);
    bool parallel = strstr(argv[1], "parallel");

    all.async = strstr(argv[1], "async");
    all.sessions = number(argv[2]);
    all.count = number(argv[4]);
    if (n_threads > THREADS || all.sessions > SESSIONS)
        die("too many");
    h.shapes = argv + 7;
    host_open(&h, library_base(library_open(argv[5], 0)));

    struct ort_options *options = host_options(&h, all.async ? 3 : 1);

    if (parallel) {
        host_check(&h, ORT(h.api, SetSessionExecutionMode)(options, 1));
        host_check(&h, ORT(h.api, SetInterOpNumThreads)(options, 3));
    }
    for (size_t s = 0; s < all.sessions; s++) {
        job_open(&all.job[s], &h, argv[6], options);
        all.sum = job_run(&all.job[s], SUM_START);
    }
    ORT(h.api, ReleaseSessionOptions)(options);
    for (size_t t = 0; t < n_threads; t++)
        if (pthread_create(&threads[t], NULL, work, (void *)t))
            die("cannot start a thread");
    for (size_t t = 0; t < n_threads; t++)
        (void)pthread_join(threads[t], NULL);
    printf("crowd %" PRIu64 " %016" PRIx64 "\n",
            all.count * n_threads + all.sessions, all.sum);
    for (size_t s = 0; s < all.sessions; s++)
        job_close(&all.job[s]);
    host_close(&h);
    return 0;
}
