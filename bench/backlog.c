#include "bench/backlog.h"

#include "tests/programs/ort_host.h"
#include "wire/record.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAUSE_US = 500 };

/* Of this process: "<pid>-<start>.ring".  -1: there is none. */
static int open_file(const char *folder)
{
    char beginning[32];
    DIR *d = opendir(folder);
    int fd = -1;

    if (!d)
        die("there is no folder %s", folder);
    (void)snprintf(beginning, sizeof(beginning), "%ld-", (long)getpid());
    for (struct dirent *e = readdir(d); e && fd < 0; e = readdir(d))
        if (strncmp(e->d_name, beginning, strlen(beginning)) == 0)
            fd = openat(dirfd(d), e->d_name, O_RDWR | O_CLOEXEC);
    (void)closedir(d);
    return fd;
}

struct ring backlog_open(void)
{
    const char *folder = getenv("ORTMETER_DIR");
    int fd = folder ? open_file(folder) : -1;
    struct stat st;
    struct ring r;

    if (fd < 0 || fstat(fd, &st))
        die("the hook left no ring: is this under `ortmeter run`?");

    size_t bytes = (size_t)st.st_size;
    char *file = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    (void)close(fd);
    if (file == MAP_FAILED || bytes < CHANNEL_RING_AT ||
            ring_attach(&r, file + CHANNEL_RING_AT, bytes - CHANNEL_RING_AT,
                    sizeof(struct record)))
        die("the hook's ring cannot be read");
    return r;
}

void backlog_wait(const struct ring *r)
{
    while (ring_waiting(r) > r->count / 2)
        (void)usleep(PAUSE_US);
}
