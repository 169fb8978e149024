/* busy.c -- a library whose constructor loads another: see load_storm.c. */
#include <dlfcn.h>
#include <stdlib.h>

static void *third;

__attribute__((constructor)) static void load(void)
{
    const char *path = getenv("BUSY_THIRD");

    if (path)
        third = dlopen(path, RTLD_NOW);
}

__attribute__((destructor)) static void unload(void)
{
    if (third)
        (void)dlclose(third);
}
