#include "cmd/cli/argv_copy.h"

#include "base/alloc.h"

#include <stdlib.h>

char **argv_copy(const char *program, char *const *argv)
{
    size_t n = 0;

    while (argv[n])
        n++;

    char **all = alloc_zero(n + 2, sizeof(*all));

    all[0] = alloc_text(program);
    for (size_t i = 0; i < n; i++)
        all[i + 1] = alloc_text(argv[i]);
    return all;
}

void argv_free(char **argv)
{
    for (char **a = argv; *a; a++)
        free(*a);
    free(argv);
}
