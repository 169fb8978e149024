/* thread_name_linux.c -- see proc(5): /proc/PID/task/TID/comm. */
#include "os/thread_name.h"

#include "os/file.h"

#include <inttypes.h>

bool thread_name(char *out, size_t cap, uint32_t pid, uint32_t thread)
{
    int len = file_read(out, cap, "/proc/%" PRIu32 "/task/%" PRIu32 "/comm",
            pid, thread);

    while (len > 0 && out[len - 1] == '\n')
        len--;
    if (len <= 0)
        return false;
    out[len] = 0;
    return true;
}
