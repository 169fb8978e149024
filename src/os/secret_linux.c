#include "os/secret.h"

#include <string.h>
#include <sys/mman.h>

void *secret_new(size_t len)
{
    void *p = mmap(NULL, len ? len : 1, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    /* Where it may not be locked it is a secret all the same. */
    (void)mlock(p, len ? len : 1);
    (void)madvise(p, len ? len : 1, MADV_DONTDUMP);
    return p;
}

void secret_free(void *secret, size_t len)
{
    if (!secret)
        return;
    explicit_bzero(secret, len);
    (void)munmap(secret, len ? len : 1);
}
