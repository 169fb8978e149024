#include "live/control_socket.h"

#include "base/alloc.h"
#include "os/local.h"
#include "os/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ASK_NS UINT64_C(1500000000) /* less than who asks us waits */

struct control_socket {
    struct local_hub *hub;
    struct controls *controls;
    struct thread *thread;
};

static void answer(struct control_socket *s, uint64_t from, struct str asked)
{
    struct buf text = { 0 };
    struct json j = json_line_into(&text);
    struct control_wish wish;
    struct control now;
    struct error e = { 0 };
    const char *wrong = control_wish_read(&wish, asked);

    if (!wrong && controls_ask(s->controls, &wish, ASK_NS, &now, &e))
        wrong = e.text;
    json_object(&j, NULL);
    if (wrong) {
        json_text(&j, "error", wrong);
    } else {
        json_object(&j, "control");
        control_members(&j, &now);
        json_end(&j);
    }
    json_end(&j);
    local_hub_answer(s->hub, from, text.p, text.len);
    buf_release(&text);
}

static void listen_to_all(void *to)
{
    struct control_socket *s = to;
    char message[LOCAL_MESSAGE_MAX];
    uint64_t from;
    int len;

    while ((len = local_hub_take(s->hub, message, &from)) != -ECANCELED) {
        struct str text = { message, (size_t)len }, content;

        switch (control_message_read(&content, text)) {
        case CONTROL_SUBSCRIBE: local_hub_subscribe(s->hub, from); break;
        case CONTROL_WISH: answer(s, from, content); break;
        case CONTROL_NONE:
        case CONTROL_ERROR:
        case CONTROL_NEW: break;
        }
    }
}

int control_socket_open(struct control_socket **out, const char *run_id,
        struct controls *controls, struct error *e)
{
    struct control_socket *s = alloc_zero(1, sizeof(*s));
    int rc = local_hub_open(&s->hub, run_id, e);

    s->controls = controls;
    if (!rc && (rc = thread_start(&s->thread, listen_to_all, s)))
        (void)fail(e, rc, "cannot start a thread");
    if (rc) {
        local_hub_close(s->hub);
        free(s);
        return rc;
    }
    *out = s;
    return 0;
}

void control_socket_close(struct control_socket *s)
{
    if (!s)
        return;
    controls_end(s->controls);
    local_hub_wake(s->hub);
    thread_join(s->thread);
    local_hub_close(s->hub);
    free(s);
}

bool control_socket_is_heard(struct control_socket *s)
{
    return s && local_hub_has_subscribers(s->hub);
}

void control_socket_tell(struct control_socket *s)
{
    static const char news[] = "{\"new\":true}";

    if (s)
        local_hub_tell(s->hub, news, sizeof(news) - 1);
}
