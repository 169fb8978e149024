/* socket.c -- one WebSocket client: what it says, what it is told next. */
#include "base/alloc.h"
#include "base/json_read.h"
#include "os/clock.h"
#include "serve/live/subscription.h"
#include "serve/state.h"

#include <stdlib.h>
#include <string.h>

#define SUBSCRIPTIONS 32
#define REPLIES_BYTES 65536 /* that wait; more is dropped */
#define ERRORS_MAX    10    /* a minute */
#define STUCK_NS      UINT64_C(30000000000)
#define MINUTE_NS     UINT64_C(60000000000)

struct socket {
    struct server *server;
    struct access_who who;
    bool profiling; /* /ws/profiling */
    bool greeted;
    struct buf replies; /* a line each */
    struct subscription *subscriptions[SUBSCRIPTIONS];
    size_t count, turn;
    unsigned errors;
    uint64_t errors_ns;
    uint64_t choked_ns; /* since when nothing can be written; 0: it can */
    int close_code;
    /* Of /ws/profiling: */
    uint64_t cursor, dropped;
    char run[RUN_ID_LEN + 1]; /* only this; "": all */
    struct buf types;         /* only these, a line each; empty: all */
};

struct socket *socket_new(struct server *s, const struct dispatch *d)
{
    struct socket *k = alloc_zero(1, sizeof(*k));

    k->server = s;
    k->who = d->who;
    k->profiling = strcmp(d->route->path, "/ws/profiling") == 0;
    k->greeted = k->profiling;
    k->errors_ns = mono_ns();
    live_listeners(s->live, 1);
    k->cursor = live_lock(s->live)->last_message;
    live_unlock(s->live);
    return k;
}

void socket_free(struct socket *k)
{
    live_listeners(k->server->live, -1);
    for (size_t i = 0; i < k->count; i++) {
        subscription_release(k->subscriptions[i]);
        free(k->subscriptions[i]);
    }
    buf_release(&k->replies);
    buf_release(&k->types);
    free(k);
}

/* --- what it says --------------------------------------------------------- */

static void reply(struct socket *k, struct buf *text)
{
    if (k->replies.len + text->len < REPLIES_BYTES) {
        buf_add(&k->replies, text->p, text->len);
        buf_char(&k->replies, '\n');
    }
    buf_release(text);
}

static void reply_error(struct socket *k, const char *id, const char *code,
        const char *message)
{
    struct buf text = { 0 };
    struct json j = json_line_into(&text);
    uint64_t now = mono_ns();

    if (now - k->errors_ns > MINUTE_NS) {
        k->errors_ns = now;
        k->errors = 0;
    }
    if (++k->errors > ERRORS_MAX)
        k->close_code = 1008;
    json_object(&j, NULL);
    json_text(&j, "type", "error");
    if (k->profiling) {
        json_fixed(&j, "timestamp", (double)wall_ns() / 1e9, 6);
        json_object(&j, "data");
    } else if (id && *id) {
        json_text(&j, "id", id);
    }
    json_text(&j, "code", code);
    json_text(&j, "message", message);
    if (k->profiling)
        json_end(&j);
    json_end(&j);
    reply(k, &text);
}

static size_t place_of(const struct socket *k, const char *id)
{
    size_t i = 0;

    while (i < k->count && strcmp(k->subscriptions[i]->id, id) != 0)
        i++;
    return i;
}

static void drop(struct socket *k, size_t i)
{
    subscription_release(k->subscriptions[i]);
    free(k->subscriptions[i]);
    k->subscriptions[i] = k->subscriptions[--k->count];
}

static void subscribe(struct socket *k, struct str text)
{
    struct subscription *s = alloc_zero(1, sizeof(*s));
    const char *code;
    const char *wrong = subscription_read(s, text, k->server->live, &code);

    if (wrong) {
        reply_error(k, s->id, code, wrong);
        free(s);
        return;
    }
    if (place_of(k, s->id) < k->count)
        drop(k, place_of(k, s->id));
    if (k->count == SUBSCRIPTIONS) {
        reply_error(k, s->id, "too_many_subscriptions",
                "a connection has at most 32 subscriptions");
        subscription_release(s);
        free(s);
        return;
    }
    k->subscriptions[k->count++] = s;
}

static struct str member(struct str object, const char *name)
{
    struct str key, value;

    while (json_next_member(&object, &key, &value) > 0)
        if (str_is(key, name))
            return value;
    return (struct str){ 0 };
}

static void unsubscribe(struct socket *k, struct str text)
{
    struct buf id = { 0 }, out = { 0 };
    struct json j = json_line_into(&out);

    (void)json_read_text(&id, member(text, "id"));
    if (place_of(k, buf_cstr(&id)) == k->count) {
        reply_error(k, NULL, "bad_message",
                "there is no subscription of "
                "that id");
        buf_release(&id);
        return;
    }
    drop(k, place_of(k, buf_cstr(&id)));
    json_object(&j, NULL);
    json_text(&j, "type", "unsubscribed");
    json_str(&j, "id", buf_str(&id));
    json_end(&j);
    buf_release(&id);
    reply(k, &out);
}

static void pong(struct socket *k, struct str text)
{
    struct str t = member(text, "t");
    struct buf out = { 0 };
    struct json j = json_line_into(&out);

    json_object(&j, NULL);
    json_text(&j, "type", "pong");
    if (json_kind(t) == '0')
        json_raw_str(&j, "t", t);
    json_u64(&j, "timestamp_ns", wall_ns());
    json_end(&j);
    reply(k, &out);
}

/* /ws/profiling: which runs and types; others are not told. */
static void narrow(struct socket *k, struct str text)
{
    struct str list = member(text, "types"), value, run = member(text, "run");
    struct buf name = { 0 };

    buf_clear(&k->types);
    k->run[0] = 0;
    if (run.p && (json_read_text(&name, run) ||
                         !live_finds(k->server->live, buf_cstr(&name), k->run)))
        reply_error(k, NULL, "unknown_run", "there is no such run");
    buf_release(&name);
    while (list.p && json_next_element(&list, &value) > 0) {
        buf_add(&k->types, value.p, value.len);
        buf_char(&k->types, '\n');
    }
}

void socket_take(struct socket *k, struct str text)
{
    struct str type;

    text = str_trim(text);
    if (!json_is_sound(text) || json_kind(text) != '{') {
        reply_error(k, NULL, "bad_json", "a message is a JSON object");
        return;
    }
    type = member(text, "type");
    if (k->profiling && str_is(type, "\"subscribe\""))
        narrow(k, text);
    else if (str_is(type, "\"subscribe\""))
        subscribe(k, text);
    else if (str_is(type, "\"unsubscribe\"") && !k->profiling)
        unsubscribe(k, text);
    else if (str_is(type, "\"ping\"") && !k->profiling)
        pong(k, text);
    else
        reply_error(k, NULL, k->profiling ? "unknown_type" : "bad_message",
                "there is no such type of message");
}

/* --- what it is told ------------------------------------------------------ */

static void hello(struct socket *k, struct buf *out)
{
    struct json j = json_line_into(out);

    json_object(&j, NULL);
    json_text(&j, "type", "hello");
    json_int(&j, "protocol", 1);
    json_text(&j, "server", "ortmeter " ORTMETER_VERSION);
    json_u64(&j, "timestamp_ns", wall_ns());
    json_text(&j, "role", role_name(k->who.role));
    json_end(&j);
    k->greeted = true;
}

static bool next_reply(struct socket *k, struct buf *out)
{
    struct str all = buf_str(&k->replies);
    struct str line = str_before(all, '\n'), rest = str_after(all, '\n');
    struct buf left = { 0 };

    if (!all.len)
        return false;
    buf_add(out, line.p, line.len);
    buf_add(&left, rest.p, rest.len);
    buf_release(&k->replies);
    k->replies = left;
    return true;
}

static bool is_told(const struct socket *k, const struct live_message *m)
{
    struct buf quoted = { 0 };
    struct str rest = buf_str(&k->types), line;
    bool told = !k->types.len;

    buf_printf(&quoted, "\"%s\"", m->type);
    while (!told && str_line(&line, &rest))
        told = str_eq(line, buf_str(&quoted));
    buf_release(&quoted);
    return told && (!k->run[0] || strcmp(k->run, m->run_id) == 0);
}

static bool next_message(struct socket *k, struct buf *out)
{
    const struct live_view *v = live_lock(k->server->live);
    bool told = false;

    if (v->last_message > k->cursor + LIVE_MESSAGES - 1) {
        k->dropped += v->last_message - k->cursor - (LIVE_MESSAGES - 1);
        k->cursor = v->last_message - (LIVE_MESSAGES - 1);
    }
    while (!told && k->cursor < v->last_message) {
        const struct live_message *m =
                &v->messages[++k->cursor % LIVE_MESSAGES];

        told = is_told(k, m);
        if (told)
            buf_text(out, m->json);
    }
    live_unlock(k->server->live);
    return told;
}

bool socket_next(struct socket *k, struct buf *out, uint64_t now_ns)
{
    k->choked_ns = 0;
    if (!k->greeted) {
        hello(k, out);
        return true;
    }
    if (next_reply(k, out))
        return true;
    if (k->profiling) {
        if (k->dropped) {
            struct buf why = { 0 };

            buf_printf(&why, "%llu messages were dropped",
                    (unsigned long long)k->dropped);
            k->dropped = 0;
            reply_error(k, NULL, "slow_client", buf_cstr(&why));
            buf_release(&why);
            return next_reply(k, out);
        }
        return next_message(k, out);
    }
    for (size_t i = 0; i < k->count; i++) {
        struct subscription *s = k->subscriptions[k->turn++ % k->count];

        if (subscription_next(s, k->server->live, out, now_ns)) {
            subscription_tick(s, false, now_ns);
            return true;
        }
    }
    return false;
}

void socket_choked(struct socket *k, uint64_t now_ns)
{
    if (!k->choked_ns)
        k->choked_ns = now_ns;
    (void)atomic_fetch_add(&k->server->merged_ticks, 1);
    for (size_t i = 0; i < k->count; i++)
        subscription_tick(k->subscriptions[i], true, now_ns);
}

int socket_close_code(struct socket *k, uint64_t now_ns)
{
    if (k->close_code && !k->replies.len)
        return k->close_code;
    if (k->choked_ns && now_ns - k->choked_ns > STUCK_NS)
        return 1013;
    return access_is_over(k->server->access, &k->who) ? 4401 : 0;
}
