#include "model/control.h"

#include "base/compiler.h"
#include "base/json_member.h"
#include "base/json_read.h"

#include <errno.h>
#include <string.h>

/* --- which inferences are traced ------------------------------------------ */

static bool is_number(struct str text)
{
    uint64_t n = 0;

    return str_u64(&n, text) == 0 && n >= 1 && n <= CONTROL_OPS_MAX;
}

bool control_is_ops(struct str text)
{
    return str_is(text, "off") || str_is(text, "auto") || str_is(text, "all") ||
           is_number(text);
}

/* A word in quotes, or a bare number. */
static bool read_ops(char out[CONTROL_OPS_LEN], struct str value)
{
    struct str text = value;

    if (json_kind(value) == '"' && value.len >= 2)
        text = (struct str){ value.p + 1, value.len - 2 };
    if ((json_kind(value) == '0') != is_number(text) || !control_is_ops(text) ||
            text.len >= CONTROL_OPS_LEN)
        return false;
    memset(out, 0, CONTROL_OPS_LEN);
    memcpy(out, text.p, text.len);
    return true;
}

static void ops_json(struct json *j, const char *ops)
{
    if (is_number(str_of(ops)))
        json_raw(j, "ops", ops);
    else
        json_text(j, "ops", ops);
}

/* --- wishes --------------------------------------------------------------- */

static const char *take_wish(struct control_wish *w, struct str key,
        struct str value)
{
    bool yes = str_is(value, "true"), no = str_is(value, "false");

    if (str_is(key, "paused")) {
        w->has_paused = true;
        w->paused = yes;
        return yes || no ? NULL : "paused must be true or false";
    }
    if (str_is(key, "rate_hz"))
        return json_kind(value) == '0' && str_f64(&w->rate_hz, value) == 0 &&
                               w->rate_hz >= 1 && w->rate_hz <= CONTROL_RATE_MAX
                       ? NULL
                       : "rate_hz must be a number, 1 to 1000";
    if (str_is(key, "ops"))
        return read_ops(w->ops, value)
                       ? NULL
                       : "ops must be \"off\", \"auto\", \"all\" or a number "
                         "from 1 to 100000000";
    if (str_is(key, "stop")) {
        w->stop = yes;
        return yes ? NULL : "stop must be true";
    }
    return "the members are paused, rate_hz, ops and stop";
}

const char *control_wish_read(struct control_wish *out, struct str text)
{
    struct control_wish w = { 0 };
    struct str rest = str_trim(text), key, value, seen[4];
    size_t count = 0;

    if (!json_is_sound(rest) || json_kind(rest) != '{')
        return "the body must be a JSON object";
    while (json_next_member(&rest, &key, &value) > 0) {
        const char *wrong = take_wish(&w, key, value);

        if (wrong)
            return wrong;
        for (size_t i = 0; i < count; i++)
            if (str_eq(seen[i], key))
                return "a member is given twice";
        seen[count++] = key;
    }
    *out = w;
    return NULL;
}

void control_wish_json(struct json *j, const char *key,
        const struct control_wish *w)
{
    json_object(j, key);
    if (w->has_paused)
        json_bool(j, "paused", w->paused);
    if (w->rate_hz > 0)
        json_real(j, "rate_hz", w->rate_hz);
    if (w->ops[0])
        ops_json(j, w->ops);
    if (w->stop)
        json_bool(j, "stop", true);
    json_end(j);
}

/* --- what holds ----------------------------------------------------------- */

void control_members(struct json *j, const struct control *c)
{
    json_bool(j, "paused", c->paused);
    if (c->rate_hz > 0)
        json_real(j, "rate_hz", c->rate_hz);
    ops_json(j, c->ops);
}

int control_read(struct control *out, struct str text)
{
    struct control c = { .paused =
                                 str_is(json_member(text, "paused"), "true") };
    struct str rate = json_member(text, "rate_hz");

    if (!read_ops(c.ops, json_member(text, "ops")) ||
            (rate.len && (str_f64(&c.rate_hz, rate) || !(c.rate_hz > 0))))
        return -EINVAL;
    *out = c;
    return 0;
}

/* --- through the socket --------------------------------------------------- */

enum control_message control_message_read(struct str *content, struct str text)
{
    static const struct {
        const char *name;
        char kind;
        enum control_message message;
    } known[] = {
        { "subscribe", 't', CONTROL_SUBSCRIBE },
        { "control", '{', CONTROL_WISH },
        { "error", '"', CONTROL_ERROR },
        { "new", 't', CONTROL_NEW },
    };
    struct str rest = str_trim(text), key;

    if (!json_is_sound(rest) || json_kind(rest) != '{' ||
            json_next_member(&rest, &key, content) <= 0)
        return CONTROL_NONE;
    for (size_t i = 0; i < LEN(known); i++)
        if (str_is(key, known[i].name) && json_kind(*content) == known[i].kind)
            return known[i].message;
    return CONTROL_NONE;
}
