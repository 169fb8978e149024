#include "push/webhook.h"

static void pack(void *context, struct buf *out, struct str body)
{
    (void)context;
    buf_add(out, body.p, body.len);
}

/* What they refuse for what it says, they refuse again. */
static bool again(int status)
{
    return status == 408 || status == 429 || status / 100 == 5;
}

int webhook_start(struct sender **out, const char *url, struct error *e)
{
    static const char *const headers[] = { "Content-Type: application/json",
        NULL };

    return sender_start(out,
            &(struct sender_plan){
                    .url = url,
                    .headers = headers,
                    .spool_bytes = WEBHOOK_SPOOL_BYTES,
                    .timeout_ms = SENDER_TIMEOUT_MS,
                    .drain_ms = SENDER_DRAIN_MS,
                    .pack = pack,
                    .again = again,
            },
            e);
}
