/* leaking.c -- a program that may forget to give memory back:
 *
 *     leaking MODEL SECONDS BYTES
 *
 * Runs the model for so long, and keeps so many bytes of each inference. */
#include "ort_host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

const struct ort_api_base *OrtGetApiBase(void);

static double seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Memory that is never given back, apart from the heap: there what is kept
 * would lie between holes. */
static void keep(size_t bytes)
{
    static const size_t chunk = 64 << 20;
    static char *next;
    static size_t left;

    if (left < bytes) {
        next = mmap(NULL, chunk, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (next == MAP_FAILED || bytes > chunk)
            die("out of memory");
        (void)madvise(next, chunk, MADV_NOHUGEPAGE);
        left = chunk;
    }
    memset(next, 1, bytes);
    next += bytes;
    left -= bytes;
}

int main(int argc, char **argv)
{
    struct host h = { 0 };
    struct job j = { 0 };
    uint64_t count = 0;

    if (argc != 4)
        die("use: %s MODEL SECONDS BYTES", argv[0]);

    double end = seconds() + strtod(argv[2], NULL);
    size_t bytes = (size_t)strtoull(argv[3], NULL, 10);

    host_open(&h, OrtGetApiBase());
    job_open_alone(&j, &h, argv[1]);
    for (; seconds() < end; count++) {
        (void)job_run(&j, SUM_START);
        keep(bytes);
    }
    printf("leaking %" PRIu64 "\n", count);
    job_close(&j);
    host_close(&h);
    return 0;
}
