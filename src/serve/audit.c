#include "serve/audit.h"

#include "base/alloc.h"
#include "base/digits.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/process/self.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES 10000000
#define FILES      5
#define PATH_SHOWN 512

struct audit {
    FILE *file;
    char *path;
    long bytes;
};

static int open_file(struct audit *a)
{
    bool before = self_private_files(true);

    a->file = fopen(a->path, "a");
    (void)self_private_files(before);
    if (!a->file)
        return -errno;
    /* Where it is before the first write is not said anywhere. */
    /* cppcheck-suppress seekOnAppendedFile */
    (void)fseek(a->file, 0, SEEK_END);
    a->bytes = ftell(a->file);
    return 0;
}

int audit_open(struct audit **out, const char *path, struct error *e)
{
    struct audit *a = alloc_zero(1, sizeof(*a));
    int rc = 0;

    if (path) {
        a->path = alloc_text(path);
        rc = open_file(a);
    }
    if (rc) {
        (void)fail(e, rc, "cannot write the audit log %.128s: %s", path,
                strerror(-rc));
        audit_close(a);
        return rc;
    }
    *out = a;
    return 0;
}

void audit_close(struct audit *a)
{
    if (!a)
        return;
    if (a->file)
        (void)fclose(a->file);
    free(a->path);
    free(a);
}

static void rotate(struct audit *a)
{
    (void)fclose(a->file);
    for (int i = FILES; i > 0; i--) {
        struct buf from = { 0 }, to = { 0 };

        buf_text(&from, a->path);
        if (i > 1)
            buf_printf(&from, ".%d", i - 1);
        buf_printf(&to, "%s.%d", a->path, i);
        (void)file_replace(buf_cstr(&from), buf_cstr(&to));
        buf_release(&from);
        buf_release(&to);
    }
    (void)open_file(a);
}

void audit_add(struct audit *a, const struct audit_entry *x)
{
    struct buf line = { 0 };
    struct json j = json_line_into(&line);
    struct str path = x->path;
    char time[DIGITS_TIME_LEN];

    if (!a->file)
        return;
    if (path.len > PATH_SHOWN)
        path.len = PATH_SHOWN;
    json_object(&j, NULL);
    json_str(&j, "time",
            (struct str){ time, digits_time(time, (int64_t)wall_ns()) });
    json_text(&j, "peer", x->peer ? x->peer : "");
    if (x->token && x->token[0])
        json_text(&j, "token", x->token);
    json_text(&j, "role", role_name(x->role));
    json_str(&j, "method", x->method);
    json_str(&j, "path", path);
    if (x->status)
        json_int(&j, "status", x->status);
    else
        json_text(&j, "status", "closed");
    json_u64(&j, "took_us", x->took_ns / 1000);
    json_end(&j);
    buf_char(&line, '\n');
    if (a->bytes + (long)line.len > FILE_BYTES)
        rotate(a);
    if (a->file) {
        (void)fwrite(line.p, 1, line.len, a->file);
        (void)fflush(a->file);
        a->bytes += (long)line.len;
    }
    buf_release(&line);
}
