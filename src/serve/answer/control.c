/* control.c -- runs that go on, steered by their collectors' sockets. */
#include "model/control.h"
#include "base/json_read.h"
#include "os/clock.h"
#include "os/local.h"
#include "serve/answer/run_about.h"

#include <errno.h>

#define ASK_NS UINT64_C(2000000000)

/* What the collector of the run says to that.  0; -EINVAL: it cannot, and `why`
 * says so; -ENOENT, -ETIMEDOUT: it is not there, or does not answer. */
static int ask(const char *run_id, const struct control_wish *w,
        struct control *out, struct buf *why)
{
    struct buf text = { 0 };
    struct json j = json_line_into(&text);
    char said[LOCAL_MESSAGE_MAX];
    struct str content;
    int rc;

    json_object(&j, NULL);
    control_wish_json(&j, "control", w);
    json_end(&j);
    rc = local_ask(run_id, text.p, text.len, said, mono_ns() + ASK_NS);
    buf_release(&text);
    if (rc < 0)
        return rc;
    switch (control_message_read(&content, (struct str){ said, (size_t)rc })) {
    case CONTROL_WISH: return control_read(out, content) ? -ETIMEDOUT : 0;
    case CONTROL_ERROR: (void)json_read_text(why, content); return -EINVAL;
    case CONTROL_NONE:
    case CONTROL_SUBSCRIBE:
    case CONTROL_NEW: break;
    }
    return -ETIMEDOUT;
}

static void write(struct answer *a, const struct run_about *r,
        const struct control *now)
{
    struct json j = json_line_into(&a->body);

    json_object(&j, NULL);
    json_text(&j, "run_id", r->id);
    json_bool(&j, "live", r->live);
    if (now)
        control_members(&j, now);
    json_array(&j, "missing");
    if (!now) {
        json_object(&j, NULL);
        json_text(&j, "member", "paused");
        json_text(&j, "reason",
                r->live ? "its collector cannot be reached from here"
                        : "the run has ended");
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

void answer_control(struct call *c, struct answer *a)
{
    struct run_about r;
    struct control now;
    struct buf why = { 0 };

    if (run_of_path(c, a, &r))
        return;
    write(a, &r,
            r.live && ask(r.id, &(struct control_wish){ 0 }, &now, &why) == 0
                    ? &now
                    : NULL);
    buf_release(&why);
}

void answer_steer(struct call *c, struct answer *a)
{
    struct run_about r;
    struct control_wish wish;
    struct control now;
    struct buf why = { 0 };
    const char *wrong = control_wish_read(&wish, c->request->body);
    int rc = -EINVAL;

    if (wrong)
        answer_problem(a, 400, "bad_body", NULL, "%s", wrong);
    else if (run_of_path(c, a, &r))
        return;
    else if (!r.live)
        answer_problem(a, 409, "not_live", NULL, "this run has ended");
    else if ((rc = ask(r.id, &wish, &now, &why)) == 0)
        write(a, &r, &now);
    else if (rc == -EINVAL)
        answer_problem(a, 400, "bad_body", NULL, "%s", buf_cstr(&why));
    else
        answer_problem(a, 503, "unavailable", NULL,
                rc == -ENOENT ? "its collector cannot be reached from here"
                              : "its collector did not answer within 2 s");
    buf_release(&why);
}
