/* children.c -- a program that starts two children:
 *
 *     children exec PROGRAM ARG...   each becomes that program
 *     children before MODEL COUNT    each runs a session of its parent's
 *     children after MODEL COUNT     each makes a session of its own
 *
 * In the last two the parent runs as many before it forks, "before", or after
 * its children have ended, "after". */
#include "ort_host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 2 };

const struct ort_api_base *OrtGetApiBase(void);

/* Who is told apart by this line; the checksum is the same for all. */
static void show(const char *who, uint64_t count, uint64_t sum)
{
    printf("%s %" PRIu64 " %016" PRIx64 "\n", who, count, sum);
    (void)fflush(stdout);
}

static void wait_for(pid_t child)
{
    int status = 0;

    if (waitpid(child, &status, 0) != child || status != 0)
        die("a child ended with status %#x", (unsigned)status);
}

static void before(const char *model, uint64_t count)
{
    struct host h = { 0 };
    struct job j = { 0 };

    host_open(&h, OrtGetApiBase());
    job_open_alone(&j, &h, model);
    show("parent", count, job_repeat(&j, count));
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();

        if (child == 0) {
            show("child", count, job_repeat(&j, count));
            _exit(0);
        }
        wait_for(child);
    }
    job_close(&j);
    host_close(&h);
}

static void after(const char *model, uint64_t count)
{
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();

        if (child == 0) {
            host_session(OrtGetApiBase(), "child", model, count);
            exit(0);
        }
        wait_for(child);
    }
    host_session(OrtGetApiBase(), "parent", model, count);
}

static void both(char **argv)
{
    pid_t child[CHILDREN];

    for (int i = 0; i < CHILDREN; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            (void)execvp(argv[0], argv);
            die("cannot start %s", argv[0]);
        }
    }
    for (int i = 0; i < CHILDREN; i++)
        wait_for(child[i]);
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "exec"))
        both(argv + 2);
    else if (argc == 4 && !strcmp(argv[1], "before"))
        before(argv[2], number(argv[3]));
    else if (argc == 4 && !strcmp(argv[1], "after"))
        after(argv[2], number(argv[3]));
    else
        die("use: %s exec PROGRAM ARG... | before|after MODEL COUNT", argv[0]);
    return 0;
}
