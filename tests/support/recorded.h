/* recorded.h -- trees of /proc and /sys from real machines, which lie beside
 * the project and not in it. */
#pragma once

#include "tree.h"

#include <spawn.h>
#include <sys/wait.h>

#define RECORDED SOURCE_ROOT "/../shared/data"

/* Whether there are any.  A test that needs them exits with 77 otherwise. */
static inline int recorded_there(void)
{
    if (access(RECORDED "/linux", R_OK) == 0)
        return 1;
    (void)printf("no recordings in " RECORDED "\n");
    return 0;
}

/* Unpacks linux/<name>.tar.gz into the folder `into` of the tree. */
static inline void recorded_unpack(const struct tree *t, const char *name,
        const char *into)
{
    char tar[] = "tar", unpack[] = "-xzf", at[] = "-C";
    char archive[256], folder[512];
    char *argv[] = { tar, unpack, archive, at, folder, NULL };
    pid_t pid;
    int status = -1;

    (void)snprintf(archive, sizeof(archive), RECORDED "/linux/%s.tar.gz", name);
    (void)snprintf(folder, sizeof(folder), "%s", tree_path(t, into));
    (void)mkdir(folder, 0777);
    CHECK(posix_spawnp(&pid, "tar", NULL, NULL, argv, environ) == 0);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}
