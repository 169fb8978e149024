#include "push/url.h"

#include <errno.h>
#include <string.h>

/* Where the host begins, behind user and password; NULL: there is none. */
static const char *host_of(const char *url)
{
    const char *host = NULL;

    if (strncmp(url, "http://", 7) == 0)
        host = url + 7;
    else if (strncmp(url, "https://", 8) == 0)
        host = url + 8;
    if (!host)
        return NULL;
    for (const char *c = host; *c && !strchr("/?#", *c); c++)
        if (*c == '@')
            host = c + 1;
    return host;
}

int url_check(const char *option, const char *url, struct error *e)
{
    const char *host = host_of(url);
    struct buf shown = { 0 };
    int rc = 0;

    for (const char *c = url; *c; c++)
        if (*c <= ' ' || *c == 0x7f)
            host = NULL;
    url_add_shown(&shown, url);
    if (!host || !*host || strchr("/?#:", *host))
        rc = fail(e, -EINVAL,
                "%s takes an address like http://localhost:4318, not '%.128s'",
                option, buf_cstr(&shown));
    buf_release(&shown);
    return rc;
}

void url_add_shown(struct buf *out, const char *url)
{
    const char *host = host_of(url);
    const char *scheme = strstr(url, "://");

    if (!host || !scheme || host == scheme + 3) {
        buf_text(out, url);
        return;
    }
    buf_add(out, url, (size_t)(scheme + 3 - url));
    buf_text(out, host);
}

/* The length of it without an ending and slashes. */
static size_t without(const char *url, size_t len, const char *ending)
{
    size_t ending_len = strlen(ending);

    while (len && url[len - 1] == '/')
        len--;
    if (len >= ending_len &&
            memcmp(url + len - ending_len, ending, ending_len) == 0)
        len -= ending_len;
    return len;
}

void url_add_path(struct buf *out, const char *url, const char *path,
        const char *instead)
{
    size_t len = strcspn(url, "?#");
    const char *rest = url + len;

    len = without(url, without(url, len, path), instead);
    buf_add(out, url, len);
    buf_text(out, path);
    buf_text(out, rest);
}
