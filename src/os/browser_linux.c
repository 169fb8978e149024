#include "os/browser.h"

#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_set(const char *name)
{
    const char *value = getenv(name);

    return value && *value;
}

/* A page of our own, so the address in it is ours, too: nothing to escape. */
static int write_page(const char *path, const char *url)
{
    int fd = file_new(path);
    bool good = fd >= 0 && fchmod(fd, 0600) == 0 &&
                dprintf(fd,
                        "<!doctype html><meta charset=utf-8>"
                        "<meta http-equiv=refresh content=\"0;url=%s\">"
                        "<a href=\"%s\">ortmeter</a>\n",
                        url, url) > 0;

    if (fd >= 0)
        (void)close(fd);
    return good ? 0 : -EIO;
}

/* It starts the browser and ends. */
static int start(char *const *argv)
{
    posix_spawn_file_actions_t quiet;
    pid_t pid;
    int status = 0, rc;

    (void)posix_spawn_file_actions_init(&quiet);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        (void)posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_RDWR,
                0);
    rc = posix_spawnp(&pid, argv[0], &quiet, NULL, argv, environ);
    (void)posix_spawn_file_actions_destroy(&quiet);
    if (rc)
        return -rc;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status ? -ENOTSUP : 0;
}

int browser_open(const char *url, const char *folder, struct error *e)
{
    char path[PATH_MAX];
    char opener[] = "xdg-open";
    char *argv[] = { opener, path, NULL };
    int rc;

    if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY"))
        return fail(e, -ENOTSUP, "there is no display");
    (void)snprintf(path, sizeof(path), "%s/open.html", folder);
    rc = write_page(path, url);
    if (rc)
        return fail(e, rc, "cannot write %s", path);
    rc = start(argv);
    return rc ? fail(e, rc, "xdg-open: %s", strerror(-rc)) : 0;
}
