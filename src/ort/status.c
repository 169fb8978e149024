#include "ort/status.h"

#include <errno.h>

#define GIST_MAX                                                \
    120 /* it has to fit into a sentence of ours, behind a path \
         */

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

/* Behind the last of them, if it is in there. */
static struct str behind(struct str text, const char *mark)
{
    struct str rest = text;

    for (const char *at; (at = str_find(rest, mark));) {
        size_t skipped = (size_t)(at - rest.p) + str_of(mark).len;

        rest = (struct str){ rest.p + skipped, rest.len - skipped };
    }
    return rest;
}

/* Behind "/src/core/graph.cc:29 int function(type, type) " at the beginning. */
static struct str behind_position(struct str text)
{
    struct str rest = text, word = str_word(&rest);
    int depth = 0;

    if (!str_starts(word, "/") ||
            !(str_find(word, ".cc:") || str_find(word, ".h:")))
        return text;
    for (size_t i = 0; i < rest.len; i++) {
        depth += rest.p[i] == '(';
        if (rest.p[i] == ')' && --depth == 0)
            return str_trim((struct str){ rest.p + i + 1, rest.len - i - 1 });
    }
    return text;
}

void status_gist(struct buf *out, const char *message)
{
    struct buf line = { 0 };

    add_on_one_line(&line, message);

    struct str text = buf_str(&line);

    if (str_starts(text, "Load model from "))
        text = behind(text, " failed:");
    if (str_starts(text, "Exception during initialization: "))
        text = behind(text, "Exception during initialization: ");
    text = behind_position(text);
    if (str_starts(text, "This is an invalid model. "))
        text = behind(text, ", Error ");
    if (text.len <= GIST_MAX) {
        buf_add(out, text.p, text.len);
    } else { /* the end often says what is wanted */
        buf_add(out, text.p, GIST_MAX / 2);
        buf_text(out, " ... ");
        buf_add(out, text.p + text.len - GIST_MAX / 2, GIST_MAX / 2);
    }
    buf_release(&line);
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
    struct buf words = { 0 }, gist = { 0 };
    int rc = status_text(&words, api, take);

    if (rc) {
        status_gist(&gist, buf_cstr(&words));
        (void)fail(e, rc, "%s", buf_cstr(&gist));
    }
    buf_release(&gist);
    buf_release(&words);
    return rc;
}

void status_drop(const struct ort_api *api, struct ort_status *take)
{
    if (take)
        ORT(api, ReleaseStatus)(take);
}
