#include "base/json_member.h"

#include "base/json_read.h"

struct str json_member(struct str object, const char *key)
{
    struct str name, value;

    while (json_next_member(&object, &name, &value) > 0)
        if (str_is(name, key))
            return value;
    return (struct str){ 0 };
}

bool json_member_text(struct buf *out, struct str object, const char *key)
{
    struct str value = json_member(object, key);

    return value.len && !json_read_text(out, value);
}
