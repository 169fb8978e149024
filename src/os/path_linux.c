#include "os/path.h"

#include "base/alloc.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int PRINTF_LIKE(2, 0)
        format(char out[PATH_MAX], const char *fmt, va_list args)
{
    int n = vsnprintf(out, PATH_MAX, fmt, args);

    return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

static int copy(char *out, size_t cap, const char *text)
{
    size_t len = strlen(text);

    if (len >= cap)
        return -ENAMETOOLONG;
    memcpy(out, text, len + 1);
    return 0;
}

static int is_name(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Turns the entries, which are ours to free, into names. */
static void keep_names(struct folder *out, struct dirent **entries, int count)
{
    out->name = alloc_zero((size_t)count + 1, sizeof(*out->name));
    for (int i = 0; i < count; i++) {
        out->name[i] = alloc_text(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    out->count = (size_t)count;
}

int folder_read(struct folder *out, const char *path_fmt, ...)
{
    char path[PATH_MAX];
    va_list args;

    va_start(args, path_fmt);
    int rc = format(path, path_fmt, args);
    va_end(args);
    *out = (struct folder){ 0 };
    if (rc)
        return rc;

    struct dirent **entries;
    int count = scandir(path, &entries, is_name, versionsort);

    if (count < 0)
        return -errno;
    keep_names(out, entries, count);
    return 0;
}

void folder_release(struct folder *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->name[i]);
    free(f->name);
    *f = (struct folder){ 0 };
}

int path_readable(const char *path_fmt, ...)
{
    char path[PATH_MAX];
    va_list args;

    va_start(args, path_fmt);
    int rc = format(path, path_fmt, args);
    va_end(args);
    if (rc)
        return rc;
    return access(path, R_OK) ? -errno : 0;
}

int path_real(char *out, size_t cap, const char *path_fmt, ...)
{
    char path[PATH_MAX], real[PATH_MAX];
    va_list args;

    va_start(args, path_fmt);
    int rc = format(path, path_fmt, args);
    va_end(args);
    if (rc)
        return rc;
    return realpath(path, real) ? copy(out, cap, real) : -errno;
}

int path_link_name(char *out, size_t cap, const char *path_fmt, ...)
{
    char path[PATH_MAX];
    va_list args;

    va_start(args, path_fmt);
    int rc = format(path, path_fmt, args);
    va_end(args);
    if (rc)
        return rc;

    char target[PATH_MAX];
    ssize_t len = readlink(path, target, sizeof(target) - 1);

    if (len < 0)
        return -errno;
    target[len] = 0;

    const char *slash = strrchr(target, '/');

    return copy(out, cap, slash ? slash + 1 : target);
}

int path_own_folder(char *out, size_t cap)
{
    char path[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

    if (len < 0)
        return -errno;
    path[len] = 0;

    char *slash = strrchr(path, '/');

    if (!slash)
        return -ENOENT;
    *slash = 0;
    return copy(out, cap, path);
}

int path_of_code(char *out, size_t cap, void (*function)(void))
{
    void *address;
    Dl_info info;
    char path[PATH_MAX];

    /* POSIX says this works; ISO C has no cast for it. */
    memcpy(&address, &function, sizeof(address));
    if (!dladdr(address, &info) || !info.dli_fname)
        return -ENOENT;
    if (!realpath(info.dli_fname, path))
        return -errno;
    return copy(out, cap, path);
}

static enum path_kind kind_of(const struct stat *st)
{
    return S_ISREG(st->st_mode)   ? PATH_FILE
           : S_ISDIR(st->st_mode) ? PATH_FOLDER
                                  : PATH_OTHER;
}

enum path_kind path_kind(const char *path)
{
    struct stat st;

    return stat(path, &st) ? PATH_NOTHING : kind_of(&st);
}

enum path_kind path_kind_here(const char *path)
{
    struct stat st;

    return lstat(path, &st) ? PATH_NOTHING : kind_of(&st);
}

int path_bytes(uint64_t *out, const char *path)
{
    struct stat st;

    if (stat(path, &st))
        return -errno;
    *out = (uint64_t)st.st_size;
    return 0;
}

int path_make_folder(const char *path, bool ours_alone)
{
    return mkdir(path, ours_alone ? 0700 : 0777) && errno != EEXIST ? -errno
                                                                    : 0;
}

int path_make_temporary(char *out, size_t cap, const char *prefix)
{
    const char *folder = getenv("TMPDIR");
    int n = snprintf(out, cap, "%s/%s-XXXXXX",
            folder && *folder ? folder : "/tmp", prefix);

    if (n < 0 || (size_t)n >= cap)
        return -ENAMETOOLONG;
    return mkdtemp(out) ? 0 : -errno;
}

int path_remove_folder(const char *path)
{
    struct folder f = { 0 };
    int rc = folder_read(&f, "%s", path);
    char file[PATH_MAX];

    for (size_t i = 0; i < f.count; i++)
        if (snprintf(file, sizeof(file), "%s/%s", path, f.name[i]) <
                (int)sizeof(file))
            (void)unlink(file);
    folder_release(&f);
    return rc ? rc : rmdir(path) ? -errno : 0;
}

int path_current(char *out, size_t cap)
{
    return getcwd(out, cap) ? 0 : -errno;
}

bool path_name_fits(const char *name, const char *pattern)
{
    return fnmatch(pattern, name, 0) == 0;
}
