#include "store/crypt/wipe.h"

#include "os/file.h"

#include <stdbool.h>
#include <string.h>

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
    if (ends_with(path, "-wal") || ends_with(path, "-journal"))
        file_wipe(path);
}
