/* http.c -- libcurl, which brings twenty libraries along: it is loaded when it
 * is first needed, so that whoever sends nothing starts without them. */
#include "os/http.h"

#include "base/alloc.h"
#include "os/dl.h"

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_MS 5000
#define STALLED_S  60
#define TEXT_MAX   65536

#define CURL_CALLS(X)             \
    X(begin, curl_global_init)    \
    X(open, curl_easy_init)       \
    X(close, curl_easy_cleanup)   \
    X(reset, curl_easy_reset)     \
    X(set, curl_easy_setopt)      \
    X(perform, curl_easy_perform) \
    X(get, curl_easy_getinfo)     \
    X(words, curl_easy_strerror)  \
    X(append, curl_slist_append)  \
    X(free_list, curl_slist_free_all)

/* Written once, and never closed: libcurl is not made for that. */
static struct {
    struct dl *lib;
    int rc; /* why it cannot be used */
    struct error why;
#define X(name, symbol) __typeof__(&symbol) name;
    CURL_CALLS(X)
#undef X
} curl;

struct http {
    CURL *curl;
    char why[CURL_ERROR_SIZE];
};

struct answer {
    CURL *curl;
    const struct http_request *request;
    struct http_reply *reply;
    bool gave_up;
};

static int load(struct error *e)
{
    int rc = dl_open(&curl.lib, dl_curl, e);

    if (rc)
        return rc;
#define X(name, symbol)                                          \
    curl.name = (__typeof__(&symbol))dl_find(curl.lib, #symbol); \
    if (!curl.name)                                              \
        return fail(e, -ENOSYS, "%s lacks " #symbol, dl_curl);
    CURL_CALLS(X)
#undef X
    return curl.begin(CURL_GLOBAL_DEFAULT)
                   ? fail(e, -EIO, "libcurl cannot be used here")
                   : 0;
}

static void load_once(void)
{
    curl.rc = load(&curl.why);
}

int http_open(struct http **out, struct error *e)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, load_once);
    if (curl.rc)
        return fail(e, curl.rc, "%s", curl.why.text);

    struct http *h = alloc_zero(1, sizeof(*h));

    h->curl = curl.open();
    if (!h->curl) {
        free(h);
        return fail(e, -ENOMEM, "libcurl cannot be used here");
    }
    *out = h;
    return 0;
}

void http_close(struct http *h)
{
    if (!h)
        return;
    curl.close(h->curl);
    free(h);
}

static size_t came(char *bytes, size_t size, size_t count, void *to)
{
    struct answer *a = to;
    size_t len = size * count;
    long status = 0;

    (void)curl.get(a->curl, CURLINFO_RESPONSE_CODE, &status);
    if (a->request->take && status == 200) {
        a->gave_up = a->request->take(a->request->context,
                             (struct str){ bytes, len }) != 0;
        return a->gave_up ? 0 : len;
    }
    if (a->reply->text.len < TEXT_MAX) {
        size_t room = TEXT_MAX - a->reply->text.len;

        buf_add(&a->reply->text, bytes, len < room ? len : room);
    }
    return len;
}

/* curl asks now and then. */
static int cancelled(void *cancel, curl_off_t a, curl_off_t b, curl_off_t c,
        curl_off_t d)
{
    (void)a;
    (void)b;
    (void)c;
    (void)d;
    return atomic_load((const atomic_bool *)cancel) ? 1 : 0;
}

static int failed(const struct http *h, CURLcode code, const struct answer *a,
        struct error *e)
{
    const char *why = *h->why ? h->why : curl.words(code);

    if (a->gave_up)
        return -ECANCELED; /* whoever gave up has said why */
    if (code == CURLE_ABORTED_BY_CALLBACK)
        return fail(e, -ECANCELED, "there was no more time");
    if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
            code == CURLE_COULDNT_RESOLVE_PROXY)
        return fail(e, -EHOSTUNREACH, "%s", why);
    if (code == CURLE_OPERATION_TIMEDOUT)
        return fail(e, -ETIMEDOUT, "%s", why);
    return fail(e, -EIO, "%s", why);
}

static struct curl_slist *headers_of(const struct http_request *r)
{
    /* No asking whether it may be sent: the answer would be awaited. */
    struct curl_slist *list = curl.append(NULL, "Expect:");

    for (const char *const *h = r->headers; h && *h; h++)
        list = curl.append(list, *h);
    return list;
}

int http_post(struct http *h, const struct http_request *r,
        struct http_reply *reply, struct error *e)
{
    struct answer answer = { .curl = h->curl, .request = r, .reply = reply };
    struct curl_slist *headers = headers_of(r);
    CURL *c = h->curl;
    curl_off_t pause_s = 0;
    long status = 0;

    buf_clear(&reply->text);
    curl.reset(c); /* which keeps the connection */
    *h->why = 0;
    (void)curl.set(c, CURLOPT_URL, r->url);
    (void)curl.set(c, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl.set(c, CURLOPT_HTTPHEADER, headers);
    (void)curl.set(c, CURLOPT_POST, 1L);
    (void)curl.set(c, CURLOPT_POSTFIELDS, r->body.len ? r->body.p : "");
    (void)curl.set(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.len);
    (void)curl.set(c, CURLOPT_WRITEFUNCTION, came);
    (void)curl.set(c, CURLOPT_WRITEDATA, &answer);
    (void)curl.set(c, CURLOPT_ERRORBUFFER, h->why);
    (void)curl.set(c, CURLOPT_NOSIGNAL, 1L); /* we have threads */
    (void)curl.set(c, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    (void)curl.set(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
    (void)curl.set(c, CURLOPT_LOW_SPEED_TIME, (long)STALLED_S);
    (void)curl.set(c, CURLOPT_TIMEOUT_MS, (long)r->timeout_ms);
    (void)curl.set(c, CURLOPT_USERAGENT, "ortmeter/" ORTMETER_VERSION);

    if (r->cancel) {
        (void)curl.set(c, CURLOPT_NOPROGRESS, 0L);
        (void)curl.set(c, CURLOPT_XFERINFOFUNCTION, cancelled);
        (void)curl.set(c, CURLOPT_XFERINFODATA, (void *)(uintptr_t)r->cancel);
    }

    CURLcode code = curl.perform(c);

    curl.free_list(headers);
    if (code != CURLE_OK)
        return failed(h, code, &answer, e);
    (void)curl.get(c, CURLINFO_RESPONSE_CODE, &status);
    (void)curl.get(c, CURLINFO_RETRY_AFTER, &pause_s);
    reply->status = (int)status;
    reply->retry_after_ms = pause_s > 0 ? (uint64_t)pause_s * 1000 : 0;
    return 0;
}

void http_escape(struct buf *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || strchr("-_.", *c);

        if (plain)
            buf_char(out, *c);
        else
            buf_printf(out, "%%%02X", (unsigned)(unsigned char)*c);
    }
}
