#include "collect/ring_folder.h"

#include "base/str.h"
#include "os/path.h"
#include "os/process/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define NAME_BYTES 64
#define PATH_BYTES (RING_FOLDER_PATH + 256)
#define ROOM_BYTES (UINT64_C(32) << 20)
#define LEFT       "-left" /* behind the number of a process that still runs */

/* Memory if there is such a place with room for some processes, else where
 * temporary files go. */
static const char *base_folder(void)
{
    const char *temporary = getenv("TMPDIR");
    bool usable = temporary && *temporary == '/' && !strpbrk(temporary, ": ") &&
                  strlen(temporary) < 400;

    if (access("/dev/shm", W_OK | X_OK) == 0 &&
            ring_folder_free_bytes("/dev/shm") >= ROOM_BYTES)
        return "/dev/shm";
    return usable ? temporary : "/tmp";
}

uint64_t ring_folder_free_bytes(const char *folder)
{
    struct statvfs s;

    return statvfs(folder, &s) == 0 ? (uint64_t)s.f_bavail * s.f_frsize : 0;
}

uint32_t ring_folder_pid(const char *name)
{
    const char *end = strchr(name, '-');
    uint64_t pid = 0;

    if (!end || str_u64(&pid, (struct str){ name, (size_t)(end - name) }) ||
            pid > INT32_MAX)
        return 0;
    return (uint32_t)pid;
}

/* --- the rings in it ------------------------------------------------------ */

/* A parent's ring is older than its child's, and a part than the next one: so
 * by "<start>", and then by "<part>". */
static int by_age(const void *a, const void *b)
{
    const char *x = strchr(*(char *const *)a, '-');
    const char *y = strchr(*(char *const *)b, '-');
    size_t x_len = x ? strcspn(x, ".") : 0, y_len = y ? strcspn(y, ".") : 0;
    int by_start;

    if (x_len != y_len)
        return x_len < y_len ? -1 : 1;
    if (!x_len)
        return 0;
    by_start = strncmp(x, y, x_len);
    if (by_start)
        return by_start;
    x_len = strlen(x);
    y_len = strlen(y);
    if (x_len != y_len)
        return x_len < y_len ? -1 : 1;
    return strcmp(x, y);
}

void ring_folder_list(struct folder *out, const char *folder)
{
    if (folder_read(out, "%s", folder) == 0)
        qsort(out->name, out->count, sizeof(*out->name), by_age);
}

/* --- clearing away -------------------------------------------------------- */

int ring_folder_open(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat s;

    if (fd < 0 || (fstat(fd, &s) == 0 && s.st_uid == geteuid()))
        return fd;
    (void)close(fd);
    return -1;
}

/* All that lies there but the file `kept`, which may be NULL. */
static void empty_folder(int dir, const char *kept)
{
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);

    for (struct dirent *x; folder && (x = readdir(folder));)
        if (!kept || strcmp(x->d_name, kept) != 0)
            (void)unlinkat(dir, x->d_name, 0);
    if (folder)
        (void)closedir(folder);
    else if (fd >= 0)
        (void)close(fd);
}

void ring_folder_remove(const char *folder, const uint32_t *alive, size_t count)
{
    int dir = ring_folder_open(folder);

    if (dir < 0)
        return;
    empty_folder(dir, count ? CHANNEL_HOOK : NULL);
    for (size_t i = 0; i < count; i++) {
        char name[NAME_BYTES];

        (void)snprintf(name, sizeof(name), "%u" LEFT, alive[i]);

        int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                0600);

        if (fd >= 0)
            (void)close(fd);
    }
    (void)close(dir);
    if (!count)
        (void)rmdir(folder);
}

bool ring_folder_hold(int dir)
{
    return dir >= 0 && flock(dir, LOCK_EX | LOCK_NB) == 0;
}

/* Numbers of processes mean nothing to a meter of another container that has
 * the same /dev/shm; a lock does. */
static bool is_held(const char *path)
{
    int dir = ring_folder_open(path);
    bool held = !ring_folder_hold(dir);

    if (dir >= 0)
        (void)close(dir);
    return held;
}

static bool any_alive(const char *path)
{
    struct folder f = { 0 };
    bool alive = false;

    (void)folder_read(&f, "%s", path);
    for (size_t i = 0; i < f.count && !alive; i++)
        alive = process_is_there(ring_folder_pid(f.name[i]));
    folder_release(&f);
    return alive;
}

static void clear_away_dead(const char *base, const char *prefix)
{
    struct folder f = { 0 };

    (void)folder_read(&f, "%s", base);
    for (size_t i = 0; i < f.count; i++) {
        char path[PATH_BYTES];
        struct stat s;

        if (strncmp(f.name[i], prefix, strlen(prefix)) != 0)
            continue;

        /* Without a number it is somebody's folder, but no meter's. */
        uint32_t meter = ring_folder_pid(f.name[i] + strlen(prefix));

        (void)snprintf(path, sizeof(path), "%s/%s", base, f.name[i]);
        if (meter && !process_is_there(meter) && lstat(path, &s) == 0 &&
                S_ISDIR(s.st_mode) && s.st_uid == geteuid() &&
                !any_alive(path) && !is_held(path))
            ring_folder_remove(path, NULL, 0);
    }
    folder_release(&f);
}

/* --- making --------------------------------------------------------------- */

/* Of that size from the start: there may be no room later. */
static int make_refusals(const char *folder)
{
    char path[PATH_BYTES];

    (void)snprintf(path, sizeof(path), "%s/" CHANNEL_REFUSALS, folder);

    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0)
        return -errno;

    /* Those who changed their user write there, too. */
    int rc = fchmod(fd, 0622) || posix_fallocate(fd, 0,
                                         CHANNEL_REFUSAL_PLACES *
                                                 sizeof(struct channel_refusal))
                     ? -ENOSPC
                     : 0;

    (void)close(fd);
    return rc;
}

static int make_own(char out[RING_FOLDER_PATH], struct error *e)
{
    const char *base = base_folder();
    char prefix[NAME_BYTES];

    (void)snprintf(prefix, sizeof(prefix), "ortmeter-%u-", geteuid());
    clear_away_dead(base, prefix);
    (void)snprintf(out, RING_FOLDER_PATH, "%s/%s%u-XXXXXX", base, prefix,
            own_pid());
    if (!mkdtemp(out) || chmod(out, 0711))
        return fail(e, -errno, "cannot make the folder %s: %s", out,
                strerror(errno));
    return 0;
}

/* Programs would not take a path that depends on where they are. */
static int make_named(char out[RING_FOLDER_PATH], const char *named,
        struct error *e)
{
    struct folder f = { 0 };

    if (*named != '/' || strlen(named) > RING_FOLDER_PATH - 64)
        return fail(e, -EINVAL,
                "the folder for records has an absolute path of at most %d "
                "bytes, unlike %.100s",
                RING_FOLDER_PATH - 64, named);
    (void)snprintf(out, RING_FOLDER_PATH, "%s", named);
    if (mkdir(out, 0711) && errno != EEXIST)
        return fail(e, -errno, "cannot make the folder %s: %s", out,
                strerror(errno));

    int rc = folder_read(&f, "%s", out);

    if (rc || f.count)
        rc = fail(e, rc ? rc : -ENOTEMPTY, "%s is %s", out,
                rc ? "no folder that can be read" : "not empty");
    folder_release(&f);
    return rc;
}

int ring_folder_make(char out[RING_FOLDER_PATH], const char *named,
        struct error *e)
{
    char number[24];
    int rc = named ? make_named(out, named, e) : make_own(out, e);

    if (rc)
        return rc;
    (void)snprintf(number, sizeof(number), "%u", own_pid());
    rc = ring_folder_set(out, "ORTMETER_METER", number, e);
    if (!rc && (rc = make_refusals(out)))
        (void)fail(e, rc, "there is no room in %s for what programs tell us",
                out);
    if (rc)
        ring_folder_remove(out, NULL, 0);
    return rc;
}

int ring_folder_link(const char *folder, const char *hook,
        char path[RING_FOLDER_PATH], struct error *e)
{
    int len = snprintf(path, RING_FOLDER_PATH, "%s/" CHANNEL_HOOK, folder);

    if (len >= RING_FOLDER_PATH || symlink(hook, path))
        return fail(e, -errno, "cannot link to %s in %s: %s", hook, folder,
                strerror(errno));
    return 0;
}

int ring_folder_set(const char *folder, const char *name, const char *value,
        struct error *e)
{
    char path[PATH_BYTES];
    FILE *f;
    bool good;

    (void)snprintf(path, sizeof(path), "%s/" CHANNEL_SETTINGS, folder);
    f = fopen(path, "ae");
    good = f && fprintf(f, "%s=%s\n", name, value) > 0 &&
           fchmod(fileno(f), 0644) == 0;
    if (f && fclose(f))
        good = false;
    return good ? 0
                : fail(e, -EIO, "cannot write %s: %s", path, strerror(errno));
}

void ring_folder_refusals(const char *folder,
        void (*each)(void *context, const struct channel_refusal *r),
        void *context)
{
    struct channel_refusal r;
    char path[PATH_BYTES];

    (void)snprintf(path, sizeof(path), "%s/" CHANNEL_REFUSALS, folder);

    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    for (int i = 0; fd >= 0 && i < CHANNEL_REFUSAL_PLACES &&
                    read(fd, &r, sizeof(r)) == (ssize_t)sizeof(r);
            i++) {
        r.program[sizeof(r.program) - 1] = 0;
        if (r.pid)
            each(context, &r);
    }
    if (fd >= 0)
        (void)close(fd);
}
