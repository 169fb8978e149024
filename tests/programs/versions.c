/* versions.c -- several ONNX Runtimes in one process at the same time, each
 * with a thread of its own: versions MODEL COUNT LIBRARY...
 *
 * The first library runs COUNT inferences, each later one one more. */
#include "ort_host.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

enum { LIBRARIES_MAX = 8 };

struct worker {
    pthread_t thread;
    pthread_barrier_t *all_open;
    struct host host;
    struct job job;
    uint64_t count, sum;
};

static void *work(void *arg)
{
    struct worker *w = arg;

    (void)pthread_barrier_wait(w->all_open);
    w->sum = job_repeat(&w->job, w->count);
    return NULL;
}

int main(int argc, char **argv)
{
    static struct worker worker[LIBRARIES_MAX];
    pthread_barrier_t all_open;

    if (argc < 4 || argc > 3 + LIBRARIES_MAX)
        die("use: %s MODEL COUNT LIBRARY...", argv[0]);

    uint64_t count = number(argv[2]);
    unsigned n = (unsigned)argc - 3;

    (void)pthread_barrier_init(&all_open, NULL, n);
    for (unsigned i = 0; i < n; i++) {
        struct worker *w = &worker[i];

        host_open(&w->host, library_base(library_open(argv[3 + i], 0)));
        job_open_alone(&w->job, &w->host, argv[1]);
        w->all_open = &all_open;
        w->count = count + i;
        if (pthread_create(&w->thread, NULL, work, w))
            die("cannot start a thread");
    }
    for (unsigned i = 0; i < n; i++) {
        struct worker *w = &worker[i];

        (void)pthread_join(w->thread, NULL);
        printf("%s %" PRIu64 " %016" PRIx64 "\n", argv[3 + i], w->count,
                w->sum);
        job_close(&w->job);
        host_close(&w->host);
    }
    (void)pthread_barrier_destroy(&all_open);
    return 0;
}
