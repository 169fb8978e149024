#include "sample/sysfs.h"

#include "os/file.h"
#include "os/kernel_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define PAGE_BYTES 4096

static int PRINTF_LIKE(3, 0)
        line(char *out, size_t cap, const char *fmt, va_list args)
{
    char path[512];
    char page[PAGE_BYTES + 1]; /* file_read() wants room beyond the end */
    int n = vsnprintf(path, sizeof(path), fmt, args);

    out[0] = 0;
    if (n < 0 || (size_t)n >= sizeof(path))
        return -ENAMETOOLONG;

    int len = file_read(page, sizeof(page), "%s", path);

    if (len < 0)
        return len;
    text_copy(out, cap, str_before((struct str){ page, (size_t)len }, '\n'));
    return 0;
}

int sysfs_line(char *out, size_t cap, const char *path_fmt, ...)
{
    va_list args;

    va_start(args, path_fmt);
    int rc = line(out, cap, path_fmt, args);
    va_end(args);
    return rc;
}

int sysfs_u64(uint64_t *out, const char *path_fmt, ...)
{
    char text[32];
    va_list args;

    va_start(args, path_fmt);
    int rc = line(text, sizeof(text), path_fmt, args);
    va_end(args);
    return rc ? rc : str_u64(out, str_of(text));
}

int sysfs_scaled(double *out, double unit, const char *path_fmt, ...)
{
    char text[32];
    int64_t value;
    va_list args;

    va_start(args, path_fmt);
    int rc = line(text, sizeof(text), path_fmt, args);
    va_end(args);
    if (!rc)
        rc = str_i64(&value, str_of(text));
    if (!rc)
        *out = (double)value * unit;
    return rc;
}
