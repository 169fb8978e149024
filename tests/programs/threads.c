/* threads.c -- four threads share one session for each MODEL given:
 *
 *     threads COUNT MODEL...
 *
 * The k-th of a thread's COUNT inferences goes to session (thread + k) modulo
 * their number.  Prints for each session how many it ran, and the checksum of
 * one inference, which every other must equal. */
#include "ort_host.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, SESSIONS = 128 };

const struct ort_api_base *OrtGetApiBase(void);

static struct {
    struct job job[SESSIONS];
    uint64_t sum[SESSIONS];
    size_t n_jobs;
    uint64_t count;
} all;

struct worker {
    pthread_t thread;
    size_t index;
    uint64_t ran[SESSIONS];
};

static void *work(void *arg)
{
    struct worker *w = arg;

    for (uint64_t k = 0; k < all.count; k++) {
        size_t s = (w->index + k) % all.n_jobs;

        if (job_run(&all.job[s], SUM_START) != all.sum[s])
            die("session %zu gave another result", s);
        w->ran[s]++;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct host h = { 0 };
    struct worker worker[THREADS] = { 0 };

    if (argc < 3 || argc > 2 + SESSIONS)
        die("use: %s COUNT MODEL...", argv[0]);
    all.count = number(argv[1]);
    all.n_jobs = (size_t)argc - 2;
    host_open(&h, OrtGetApiBase());
    for (size_t s = 0; s < all.n_jobs; s++) {
        job_open_alone(&all.job[s], &h, argv[2 + s]);
        all.sum[s] = job_run(&all.job[s], SUM_START);
    }
    for (size_t t = 0; t < THREADS; t++) {
        worker[t].index = t;
        if (pthread_create(&worker[t].thread, NULL, work, &worker[t]))
            die("cannot start a thread");
    }
    for (size_t t = 0; t < THREADS; t++)
        (void)pthread_join(worker[t].thread, NULL);
    for (size_t s = 0; s < all.n_jobs; s++) {
        uint64_t ran = 1;

        for (size_t t = 0; t < THREADS; t++)
            ran += worker[t].ran[s];
        printf("%s %" PRIu64 " %016" PRIx64 "\n", argv[2 + s], ran, all.sum[s]);
        job_close(&all.job[s]);
    }
    host_close(&h);
    return 0;
}
