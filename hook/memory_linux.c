#include "hook/memory.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LEAST_PAGE 4096

void *memory_pages(size_t bytes)
{
    int saved = errno;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    errno = saved;
    return pages == MAP_FAILED ? NULL : pages;
}

void memory_give_back(void *pages, size_t bytes)
{
    int saved = errno;

    (void)munmap(pages, bytes);
    errno = saved;
}

void memory_forget(void *pages, size_t bytes)
{
    int saved = errno;

    (void)madvise(pages, bytes, MADV_REMOVE);
    errno = saved;
}

/* To wait on a word for no time at all, the system reads it.  Whoever runs ONNX
 * Runtime needs this call, so no filter of calls forbids it. */
static bool word_readable(uintptr_t at)
{
    const struct timespec no_time = { 0 };

    return syscall(SYS_futex, at, FUTEX_WAIT_PRIVATE, 0, &no_time, NULL, 0) ==
                   0 ||
           errno != EFAULT;
}

bool memory_readable(const void *at, size_t bytes)
{
    uintptr_t start = (uintptr_t)at, end = start + bytes;
    int saved = errno;
    bool ok = start >= LEAST_PAGE && end >= start && end < UINT64_C(1) << 47;

    /* Its first and last words, and one of each page between. */
    for (uintptr_t p = start & ~UINT64_C(7); ok && p < end;
            p = (p | (LEAST_PAGE - 1)) + 1)
        ok = word_readable(p);
    errno = saved;
    return ok;
}

bool thread_exists(uint32_t id)
{
    int saved = errno;
    bool gone = syscall(SYS_tgkill, getpid(), id, 0) != 0 && errno == ESRCH;

    errno = saved;
    return !gone;
}
