/* load_storm.c -- loads and unloads ONNX Runtime while another thread loads a
 * library whose constructor loads a third:
 *
 *     load_storm LIBRARY BUSY THIRD ROUNDS
 *
 * Whoever holds a lock of its own while it calls the loader is dead-locked
 * here, and the alarm ends the program. */
#include "ort_host.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATIENCE_S = 100 };

static atomic_bool stop;

static void *load_busy(void *arg)
{
    while (!atomic_load(&stop))
        (void)dlclose(library_open(arg, 0));
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    if (argc != 5)
        die("use: %s LIBRARY BUSY THIRD ROUNDS", argv[0]);

    uint64_t rounds = number(argv[4]);

    (void)alarm(PATIENCE_S);
    if (setenv("BUSY_THIRD", argv[3], 1) != 0)
        die("cannot set a variable");
    if (pthread_create(&thread, NULL, load_busy, argv[2]))
        die("cannot start a thread");
    for (uint64_t i = 0; i < rounds; i++) {
        struct host h = { 0 };
        void *library = library_open(argv[1], 0);

        host_open(&h, library_base(library));
        host_close(&h);
        (void)dlclose(library);
    }
    atomic_store(&stop, true);
    (void)pthread_join(thread, NULL);
    printf("load_storm %" PRIu64 "\n", rounds);
    return 0;
}
