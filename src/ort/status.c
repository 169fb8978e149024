#include "ort/status.h"

#include <errno.h>

/* Its messages come with newlines and runs of blanks in them. */
static void add_on_one_line(struct buf *out, const char *text)
{
    struct str rest = str_of(text);
    size_t begun = out->len;

    for (struct str word = str_word(&rest); word.len; word = str_word(&rest)) {
        if (out->len > begun)
            buf_char(out, ' ');
        buf_add(out, word.p, word.len);
    }
}

/* OrtErrorCode. */
static int code_of(int code)
{
    switch (code) {
    case 2: return -EINVAL;  /* invalid argument */
    case 3: return -ENOENT;  /* no such file */
    case 9: return -ENOTSUP; /* not implemented */
    default: return -EIO;
    }
}

int status_text(struct buf *out, const struct ort_api *api,
        struct ort_status *take)
{
    if (!take)
        return 0;

    int rc = code_of(ORT(api, GetErrorCode)(take));

    add_on_one_line(out, ORT(api, GetErrorMessage)(take));
    ORT(api, ReleaseStatus)(take);
    return rc;
}

int status_fail(const struct ort_api *api, struct ort_status *take,
        struct error *e)
{
    struct buf text = { 0 };
    int rc = status_text(&text, api, take);

    if (rc)
        (void)fail(e, rc, "%s", buf_cstr(&text));
    buf_release(&text);
    return rc;
}

void status_drop(const struct ort_api *api, struct ort_status *take)
{
    if (take)
        ORT(api, ReleaseStatus)(take);
}
