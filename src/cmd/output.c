#include "cmd/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* stdio need not set errno, so it is cleared first and may stay clear. */
static int why(void)
{
    return errno ? -errno : -EIO;
}

static int write_all(FILE *f, struct str text)
{
    errno = 0;
    if (fwrite(text.p, 1, text.len, f) != text.len || fflush(f) != 0)
        return why();
    return 0;
}

static int write_file(const char *path, struct str text)
{
    FILE *f = fopen(path, "w");

    if (!f)
        return -errno;

    int rc = write_all(f, text);

    errno = 0;
    /* A full disk may show only now. */
    if (fclose(f) != 0 && !rc)
        rc = why();
    return rc;
}

int output_write(const char *path, struct str text, struct error *e)
{
    bool to_file = path && strcmp(path, "-") != 0;
    int rc = to_file ? write_file(path, text) : write_all(stdout, text);

    if (rc)
        return fail(e, rc, "cannot write %.128s: %s",
                to_file ? path : "the output", strerror(-rc));
    return 0;
}
