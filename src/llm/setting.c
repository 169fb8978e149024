#include "llm/setting.h"

#include "base/json_member.h"
#include "base/json_read.h"

#include <errno.h>
#include <stdio.h>

bool setting_bool(struct str object, const char *key, bool otherwise)
{
    struct str value = json_member(object, key);

    return str_is(value, "true") || (otherwise && !str_is(value, "false"));
}

bool setting_i64(int64_t *out, struct str object, const char *key)
{
    return str_i64(out, json_member(object, key)) == 0;
}

bool setting_f64(double *out, struct str object, const char *key)
{
    return str_f64(out, json_member(object, key)) == 0;
}

void setting_type(char *out, size_t cap, struct str object)
{
    struct buf text = { 0 };

    (void)json_member_text(&text, object, "type");
    (void)snprintf(out, cap, "%s", buf_cstr(&text));
    buf_release(&text);
}

int setting_pattern(struct pattern *out, struct str value, struct error *e)
{
    struct buf text = { 0 };
    int rc = 0;

    if ((json_kind(value) == '"' && json_read_text(&text, value) == 0) ||
            json_member_text(&text, value, "String"))
        pattern_text(out, buf_str(&text));
    else if (json_member_text(&text, value, "Regex"))
        rc = pattern_expression(out, buf_str(&text), e);
    else
        rc = fail(e, -EINVAL, "a pattern in it is neither String nor Regex");
    buf_release(&text);
    return rc;
}
