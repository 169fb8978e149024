/* test_url.c -- addresses to push to, and how they are shown. */
#include "push/url.h"

#include "base/compiler.h"
#include "test.h"

#include <errno.h>
#include <string.h>

static void shown(const char *url, const char *want)
{
    struct buf b = { 0 };

    url_add_shown(&b, url);
    CHECK(str_is(buf_str(&b), want));
    buf_release(&b);
}

static void with_path(const char *url, const char *want)
{
    struct buf b = { 0 };

    url_add_path(&b, url, "/v1/traces", "/v1/metrics");
    CHECK(str_is(buf_str(&b), want));
    buf_release(&b);
}

int main(void)
{
    static const char *const good[] = { "http://a", "https://a:1/b?c",
        "http://u:p@h:4318", "http://[::1]:80/" };
    static const char *const bad[] = { "", "http://", "http:///x", "ftp://a",
        "localhost:4318", "http://a b", "http://a\n", "http://u:p@",
        "http://:80", "HTTP//a" };
    struct error e = { 0 };

    for (size_t i = 0; i < LEN(good); i++)
        CHECK_INT(url_check("--x", good[i], &e), 0);
    for (size_t i = 0; i < LEN(bad); i++) {
        CHECK_INT(url_check("--x", bad[i], &e), -EINVAL);
        CHECK(strncmp(e.text, "--x takes", 9) == 0);
    }

    /* A password is for nobody's eyes, even with an @ in it. */
    CHECK_INT(url_check("--x", "http://user:secret@", &e), -EINVAL);
    CHECK(!strstr(e.text, "secret"));
    shown("http://a/b", "http://a/b");
    shown("http://u:p@a/b", "http://a/b");
    shown("https://u:p@q@a?x=@", "https://a?x=@");
    shown("http://a/@b", "http://a/@b");
    shown("u:p@a", "u:p@a");

    with_path("http://a", "http://a/v1/traces");
    with_path("http://a//", "http://a/v1/traces");
    with_path("http://a/b/", "http://a/b/v1/traces");
    with_path("http://a/v1/traces", "http://a/v1/traces");
    with_path("http://a/b/v1/metrics/", "http://a/b/v1/traces");
    with_path("http://a/b?k=1", "http://a/b/v1/traces?k=1");
    return test_result();
}
