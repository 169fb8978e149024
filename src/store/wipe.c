#include "store/wipe.h"

#include "base/str.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char zeros[65536];

void wipe_file(sqlite3_file *f, sqlite3_int64 from)
{
    sqlite3_int64 size = 0;

    if (f->pMethods->xFileSize(f, &size) || size <= from)
        return;
    while (from < size) {
        sqlite3_int64 len = size - from;

        len = len < (sqlite3_int64)sizeof(zeros) ? len
                                                 : (sqlite3_int64)sizeof(zeros);
        if (f->pMethods->xWrite(f, zeros, (int)len, from))
            return;
        from += len;
    }
    (void)f->pMethods->xSync(f, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);

    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

void wipe_path(const char *path)
{
    struct stat st;
    off_t at = 0;
    ssize_t n = 1;

    if (!ends_with(path, "-wal") && !ends_with(path, "-journal"))
        return;

    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size) {
        while (at < st.st_size && n > 0) {
            size_t len = (size_t)(st.st_size - at);

            n = pwrite(fd, zeros, len < sizeof(zeros) ? len : sizeof(zeros),
                    at);
            at += n;
        }
        (void)fdatasync(fd);
    }
    (void)close(fd);
}
