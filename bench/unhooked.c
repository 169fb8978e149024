/* unhooked.c -- starts a program without the hook in it: unhooked PROGRAM
 * ARG...
 *
 * Statically linked, so that the hook is not here either: it would put itself
 * back.  The program loads it later, and still finds the collector. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2 || unsetenv("LD_PRELOAD"))
        return 2;
    (void)execv(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
