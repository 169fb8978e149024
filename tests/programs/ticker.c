/* ticker.c -- runs until it is told to stop, and keeps its own book:
 *
 *     ticker MODEL LOG STOP
 *
 * After each inference a line with CLOCK_MONOTONIC in nanoseconds goes to the
 * file LOG, by write(2), so that it is there whatever happens next.  When the
 * file STOP exists, prints how many lines it wrote. */
#include "ort_host.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

const struct ort_api_base *OrtGetApiBase(void);

static void write_time(int fd)
{
    struct timespec t;
    char line[32];

    (void)clock_gettime(CLOCK_MONOTONIC, &t);

    int len = snprintf(line, sizeof(line), "%" PRIu64 "\n",
            (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);

    if (write(fd, line, (size_t)len) != len)
        die("cannot write the log");
}

int main(int argc, char **argv)
{
    struct host h = { 0 };
    struct job j = { 0 };
    uint64_t count = 0;

    if (argc != 4)
        die("use: %s MODEL LOG STOP", argv[0]);

    int fd = open(argv[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

    if (fd < 0)
        die("cannot open %s", argv[2]);
    host_open(&h, OrtGetApiBase());
    job_open_alone(&j, &h, argv[1]);

    uint64_t sum = 0;

    while (access(argv[3], F_OK) != 0) {
        uint64_t again = job_run(&j, SUM_START);

        write_time(fd);
        if (count++ && again != sum)
            die("inference %" PRIu64 " gave another result", count);
        sum = again;
    }
    printf("ticker %" PRIu64 " %016" PRIx64 "\n", count, sum);
    (void)close(fd);
    job_close(&j);
    host_close(&h);
    return 0;
}
