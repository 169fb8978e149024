/* exiting.c -- programs that leave without tidying up, with 7:
 *
 *     exiting exit MODEL COUNT    exit(), the session and its threads alive
 *     exiting _exit MODEL COUNT   _exit(), four threads in their inferences
 *
 * exit() with inferences under way is left out: ONNX Runtime itself crashes
 * then, its globals being gone.  Each runs COUNT inferences or, in the second
 * case, at least as many. */
#include "ort_host.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, CODE = 7 };

const struct ort_api_base *OrtGetApiBase(void);

static struct job job;
static atomic_ullong runs;

static void *work(void *arg)
{
    for (;;) {
        (void)job_run(&job, SUM_START);
        atomic_fetch_add(&runs, 1);
    }
    return arg;
}

int main(int argc, char **argv)
{
    static struct host host;

    if (argc != 4)
        die("use: %s exit|_exit MODEL COUNT", argv[0]);

    uint64_t count = number(argv[3]);

    host_open(&host, OrtGetApiBase());
    job_open(&job, &host, argv[2], host_options(&host, 2));
    if (!strcmp(argv[1], "exit")) {
        (void)job_repeat(&job, count);
        exit(CODE);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, work, NULL))
            die("cannot start a thread");
    }
    while (atomic_load(&runs) < count)
        (void)usleep(100);
    _exit(CODE);
}
