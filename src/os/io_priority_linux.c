#include "os/io_priority.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* See ioprio_get(2); the C library has no names for these. */
#define OF_PROCESS  1
#define CLASS_SHIFT 13
#define LEVEL_MASK  7

int io_priority(int *out, uint64_t pid)
{
    long got = syscall(SYS_ioprio_get, OF_PROCESS, (pid_t)pid);

    if (got < 0)
        return -errno;
    if (got >> CLASS_SHIFT == 0)
        return -ENODATA;
    *out = (int)(got & LEVEL_MASK);
    return 0;
}
