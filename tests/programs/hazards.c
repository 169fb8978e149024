/* hazards.c -- a program that does what is awkward for whoever times kernels:
 *
 *     hazards turns LIBRARY COUNT MODEL OTHER [INPUT=1x3x48x192...]
 *         COUNT sessions of two models in turn, each gone before the next
 *         comes, so that kernels live where others have lived
 *     hazards late LIBRARY COUNT MODEL HOOK [INPUT...]
 *         the session is older than HOOK, a library, which it loads itself
 *     hazards fork LIBRARY COUNT MODEL - [INPUT...]
 *         a child goes on with its parent's session, and then the parent
 *     hazards stop LIBRARY COUNT MODEL - [INPUT...]
 *         COUNT inferences are stopped by another thread, after each a whole
 *         one
 *     hazards fail LIBRARY COUNT MODEL INPUT=BAD [INPUT...]
 *         COUNT inferences with a shape that a kernel cannot take, after each
 *         a whole one
 *
 * Prints the checksum of all inferences that were not to fail, or their number
 * where one has to equal the other. */
#include "ort_host.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Only this program uses them, so they are not in wire/ort_api.h. */
enum { SLOT_SET_TERMINATE = 46, SLOT_UNSET_TERMINATE = 47 };
typedef struct ort_status *(*change_run_options)(struct ort_run_options *o);

enum { RUNS = 2 }; /* of a session, one of which is not its first */

static void turns(struct host *h, uint64_t count, const char *model,
        const char *other)
{
    uint64_t sum = SUM_START;

    for (uint64_t i = 0; i < count; i++) {
        struct job j = { 0 };

        job_open_alone(&j, h, i % 2 ? other : model);
        for (int k = 0; k < RUNS; k++)
            sum = job_run(&j, sum);
        job_close(&j);
    }
    printf("turns %" PRIx64 "\n", sum);
}

static void late(struct host *h, uint64_t count, const char *model,
        const char *hook)
{
    struct job j = { 0 };

    job_open_alone(&j, h, model);
    (void)job_run(&j, SUM_START);
    (void)library_open(hook, 0);
    printf("late %" PRIx64 "\n", job_repeat(&j, count));
    job_close(&j);
}

static void go_on_in_child(struct host *h, uint64_t count, const char *model,
        const char *unused)
{
    struct job j = { 0 };
    int status = -1;
    pid_t pid;

    (void)unused;
    job_open_alone(&j, h, model);

    uint64_t sum = job_repeat(&j, count);

    pid = fork();
    if (pid == 0)
        _exit(job_repeat(&j, count) == sum ? 0 : 1);
    if (waitpid(pid, &status, 0) != pid || status != 0)
        die("the child failed");
    printf("fork %" PRIx64 "\n", sum);
    if (job_repeat(&j, count) != sum)
        die("another result");
    job_close(&j);
}

/* --- inferences that fail ------------------------------------------------- */

/* True: it was as it should be. */
static bool try(const struct job *j, const struct ort_run_options *options)
{
    struct ort_value *out[JOB_TENSORS] = { NULL };
    struct ort_status *status = ORT(j->host->api, Run)(j->session, options,
            (const char *const *)j->in_name,
            (const struct ort_value *const *)j->in, j->n_in,
            (const char *const *)j->out_name, j->n_out, out);

    if (status)
        ORT(j->host->api, ReleaseStatus)(status);
    else
        (void)job_take(j, out, SUM_START);
    return !status;
}

struct stopper {
    const struct host *host;
    struct ort_run_options *options;
};

static void *stop_it(void *argument)
{
    const struct stopper *s = argument;

    host_check(s->host,
            ((change_run_options)s->host->api->slot[SLOT_SET_TERMINATE])(
                    s->options));
    return NULL;
}

static void stop(struct host *h, uint64_t count, const char *model,
        const char *unused)
{
    struct stopper s = { .host = h };
    struct job j = { 0 };
    uint64_t whole = 0;

    (void)unused;
    job_open_alone(&j, h, model);
    host_check(h, ORT(h->api, CreateRunOptions)(&s.options));

    uint64_t sum = job_run(&j, SUM_START);

    for (uint64_t i = 0; i < count; i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, stop_it, &s))
            die("cannot start a thread");
        while (try(&j, s.options))
            whole++;
        (void)pthread_join(thread, NULL);
        host_check(h, ((change_run_options)h->api->slot[SLOT_UNSET_TERMINATE])(
                              s.options));
        if (job_run(&j, SUM_START) != sum)
            die("another result");
    }
    /* How many were over before they were stopped is chance. */
    (void)fprintf(stderr, "whole %" PRIu64 "\n", whole + count + 1);
    printf("stop %" PRIx64 "\n", sum);
    ORT(h->api, ReleaseRunOptions)(s.options);
    job_close(&j);
}

static void fail(struct host *h, uint64_t count, const char *model,
        const char *bad)
{
    char *const *shapes = h->shapes;
    char *bad_shapes[] = { (char *)(uintptr_t)bad, NULL };
    struct job good = { 0 }, other = { 0 };

    job_open_alone(&good, h, model);
    h->shapes = bad_shapes;
    job_open_alone(&other, h, model);
    h->shapes = shapes;

    uint64_t sum = job_run(&good, SUM_START);

    for (uint64_t i = 0; i < count; i++) {
        if (try(&other, NULL))
            die("nothing failed");
        if (job_run(&good, SUM_START) != sum)
            die("another result");
    }
    printf("fail %" PRIx64 "\n", sum);
    job_close(&other);
    job_close(&good);
}

/* -------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*what)(struct host *h, uint64_t count, const char *model,
            const char *more);
} hazards[] = {
    { "turns", turns },
    { "late", late },
    { "fork", go_on_in_child },
    { "stop", stop },
    { "fail", fail },
};

int main(int argc, char **argv)
{
    struct host h = { 0 };

    if (argc < 6)
        die("use: %s HAZARD LIBRARY COUNT MODEL MORE [INPUT=1x3...]", argv[0]);
    h.shapes = argv + 6;
    host_open(&h, library_base(library_open(argv[2], 0)));
    for (size_t i = 0; i < sizeof(hazards) / sizeof(hazards[0]); i++)
        if (strcmp(argv[1], hazards[i].name) == 0)
            hazards[i].what(&h, number(argv[3]), argv[4], argv[5]);
    host_close(&h);
    return 0;
}
