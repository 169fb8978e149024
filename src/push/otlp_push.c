/* otlp_push.c -- see opentelemetry.io/docs/specs/otlp, "OTLP/HTTP". */
#include "push/otlp_push.h"

#include "base/alloc.h"
#include "export/otlp/otlp_json.h"
#include "push/gzip.h"
#include "push/otlp_answer.h"
#include "push/url.h"

#include <stdlib.h>

#define HEADERS_MAX 32

/* One of the two kinds of requests. */
struct way {
    enum otlp_request kind;
    bool json;
    struct buf url;
    struct sender *sender;
};

struct otlp_push {
    struct way metrics, traces;
    char *headers[HEADERS_MAX + 1]; /* ends with NULL */
    size_t header_count;
};

static void pack(void *context, struct buf *out, struct str body)
{
    const struct way *w = context;
    struct buf json = { 0 };

    if (w->json && !otlp_json(&json, w->kind, body))
        body = buf_str(&json);
    gzip_add(out, body);
    buf_release(&json);
}

static bool again(int status)
{
    return status == 429 || status == 502 || status == 503 || status == 504;
}

static uint64_t refused(void *context, struct str answer, struct error *why)
{
    (void)context;
    return otlp_answer_refused(answer, why);
}

static void add_header(struct otlp_push *p, const char *name, struct str value)
{
    struct buf line = { 0 };

    if (p->header_count == HEADERS_MAX)
        return;
    buf_printf(&line, "%s: ", name);
    buf_add(&line, value.p, value.len);
    p->headers[p->header_count++] = alloc_text(buf_cstr(&line));
    buf_release(&line);
}

/* a=b,c=d.  What has no name or would break the line is left out. */
static void add_headers(struct otlp_push *p, struct str list)
{
    while (list.len) {
        struct str pair = str_trim(str_before(list, ','));
        struct str name = str_trim(str_before(pair, '='));
        struct str value = str_trim(str_after(pair, '='));
        struct buf text = { 0 };
        bool sound = name.len && name.len < pair.len;

        for (size_t i = 0; i < pair.len; i++)
            sound &= (unsigned char)pair.p[i] >= ' ';
        buf_add(&text, name.p, name.len);
        if (sound)
            add_header(p, buf_cstr(&text), value);
        buf_release(&text);
        list = str_after(list, ',');
    }
}

static int start(struct otlp_push *p, struct way *w, const char *base,
        struct error *e)
{
    static const char *const paths[] = {
        [OTLP_METRICS] = "/v1/metrics",
        [OTLP_TRACES] = "/v1/traces",
    };

    url_add_path(&w->url, base, paths[w->kind], paths[!w->kind]);
    return sender_start(&w->sender,
            &(struct sender_plan){
                    .url = buf_cstr(&w->url),
                    .headers = (const char *const *)p->headers,
                    .spool_bytes = SENDER_SPOOL_BYTES,
                    .timeout_ms = SENDER_TIMEOUT_MS,
                    .drain_ms = SENDER_DRAIN_MS,
                    .pack = pack,
                    .again = again,
                    .refused = refused,
                    .context = w,
            },
            e);
}

int otlp_push_start(struct otlp_push **out, const struct otlp_push_plan *plan,
        struct error *e)
{
    struct otlp_push *p = alloc_zero(1, sizeof(*p));
    struct sender_outcome nothing;

    p->metrics = (struct way){ .kind = OTLP_METRICS, .json = plan->json };
    p->traces = (struct way){ .kind = OTLP_TRACES, .json = plan->json };
    add_header(p, "Content-Type",
            str_of(plan->json ? "application/json" : "application/x-protobuf"));
    add_header(p, "Content-Encoding", str_of("gzip"));
    if (plan->headers)
        add_headers(p, str_of(plan->headers));

    int rc = start(p, &p->metrics, plan->url, e);

    if (!rc)
        rc = start(p, &p->traces, plan->url, e);
    if (rc) {
        otlp_push_stop(p, &nothing, &nothing);
        return rc;
    }
    *out = p;
    return 0;
}

void otlp_push_metrics(struct otlp_push *p, const struct otlp_source *source,
        const struct figure_list *list, uint64_t now_wall_ns)
{
    struct buf body = { 0 };

    otlp_metrics(&body, source, list, now_wall_ns);
    sender_put(p->metrics.sender, &body, list->count);
}

void otlp_push_spans(struct otlp_push *p, struct otlp_spans *spans)
{
    struct buf body = { 0 };
    size_t count = spans->count;

    if (!count)
        return;
    otlp_spans_request(spans, &body);
    sender_put(p->traces.sender, &body, count);
}

void otlp_push_finish(struct otlp_push *p)
{
    if (!p)
        return;
    sender_finish(p->metrics.sender);
    sender_finish(p->traces.sender);
}

void otlp_push_stop(struct otlp_push *p, struct sender_outcome *metrics,
        struct sender_outcome *spans)
{
    if (!p)
        return;
    sender_stop(p->metrics.sender, metrics);
    sender_stop(p->traces.sender, spans);
    buf_release(&p->metrics.url);
    buf_release(&p->traces.url);
    for (size_t i = 0; i < p->header_count; i++)
        free(p->headers[i]);
    free(p);
}
