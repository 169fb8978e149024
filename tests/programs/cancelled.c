/* cancelled.c -- a thread that somebody wants to cancel runs inferences:
 *
 *     cancelled MODEL COUNT
 *
 * ONNX Runtime's Run is no cancellation point, so all of them are run before
 * the thread comes to one of its own and ends there.  In a child of fork(),
 * which has yet to find out where to write. */
#include "ort_host.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

const struct ort_api_base *OrtGetApiBase(void);

struct work {
    struct job job;
    uint64_t count, done;
};

static void *run(void *to)
{
    struct work *w = to;

    (void)pthread_cancel(pthread_self());
    while (w->done < w->count) {
        (void)job_run(&w->job, 0);
        w->done++;
    }
    pthread_testcancel();
    return NULL;
}

static int in_child(struct work *w)
{
    pthread_t thread;
    void *result = NULL;

    if (pthread_create(&thread, NULL, run, w) || pthread_join(thread, &result))
        die("no thread");
    printf("cancelled after %" PRIu64 " inferences: %s\n", w->done,
            result == PTHREAD_CANCELED ? "yes" : "no");
    return fflush(stdout) || w->done != w->count;
}

int main(int argc, char **argv)
{
    struct host h = { 0 };
    struct work w = { 0 };
    int status = 0;

    if (argc != 3)
        die("use: %s MODEL COUNT", argv[0]);
    host_open(&h, OrtGetApiBase());
    job_open_alone(&w.job, &h, argv[1]);
    w.count = number(argv[2]);

    pid_t pid = fork();

    if (pid == 0)
        _exit(in_child(&w));
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        die("no child");
    job_close(&w.job);
    host_close(&h);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
