/* fork_storm.c -- forks while threads are busy in ONNX Runtime:
 *
 *     fork_storm MODEL CHILDREN
 *
 * A lock that a thread held at the fork stays shut in the child for ever, so a
 * child asks for what any lock of a guest in this process would guard: options
 * of both kinds.  It runs nothing: ONNX Runtime's own locks may be shut. */
#include "ort_host.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, PATIENCE_S = 30 };

const struct ort_api_base *OrtGetApiBase(void);

static struct host host;
static struct job job;
static atomic_bool stop;
static atomic_ullong runs;

static void options_once(void)
{
    struct ort_run_options *run_options = NULL;
    struct ort_options *options = host_options(&host, 1);

    host_check(&host, ORT(host.api, CreateRunOptions)(&run_options));
    ORT(host.api, ReleaseRunOptions)(run_options);
    ORT(host.api, ReleaseSessionOptions)(options);
}

static void *work(void *arg)
{
    (void)arg;
    while (!atomic_load(&stop)) {
        options_once();
        (void)job_run(&job, SUM_START);
        atomic_fetch_add(&runs, 1);
    }
    return NULL;
}

static void child(void)
{
    (void)alarm(PATIENCE_S); /* a child that hangs dies, which is seen */
    for (int i = 0; i < 10; i++)
        options_once();
    _exit(0);
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];

    if (argc != 3)
        die("use: %s MODEL CHILDREN", argv[0]);

    uint64_t children = number(argv[2]);

    host_open(&host, OrtGetApiBase());
    job_open_alone(&job, &host, argv[1]);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, work, NULL))
            die("cannot start a thread");
    for (uint64_t i = 0; i < children; i++) {
        int status = 0;
        pid_t pid = fork();

        if (pid == 0)
            child();
        if (waitpid(pid, &status, 0) != pid || status != 0)
            die("child %" PRIu64 " ended with status %#x", i, (unsigned)status);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(thread[i], NULL);
    printf("fork_storm %" PRIu64 "\n", children);
    (void)fprintf(stderr, "runs %llu\n", atomic_load(&runs));
    job_close(&job);
    host_close(&host);
    return 0;
}
