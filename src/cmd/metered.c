#include "cmd/metered.h"

#include "base/buf.h"
#include "cmd/database.h"
#include "cmd/settings.h"
#include "os/path.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static bool is_ops(const char *text)
{
    uint64_t number = 0;

    return strcmp(text, "off") == 0 || strcmp(text, "auto") == 0 ||
           strcmp(text, "all") == 0 ||
           (str_u64(&number, str_of(text)) == 0 && number > 0);
}

int metered_check(const struct metered_settings *s, struct error *e)
{
    if (s->buffer && (s->buffer < 64 || s->buffer > 1 << 24 ||
                             (s->buffer & (s->buffer - 1))))
        return fail(e, -EINVAL,
                "--buffer takes a power of 2 from 64 to 16777216, not %llu",
                (unsigned long long)s->buffer);
    if (s->hz > 10000)
        return fail(e, -EINVAL, "--rate takes at most 10000 Hz, not %g", s->hz);
    if (!is_ops(s->ops))
        return fail(e, -EINVAL,
                "--ops takes off, auto, all or a number from 1, not '%s'",
                s->ops);
    if (s->meter && strcmp(s->meter, "-") != 0 &&
            !str_starts(str_of(s->meter), "tcp:") &&
            path_readable("%s", s->meter))
        return fail(e, -EINVAL,
                "--meter takes a file, a pipe or tcp:HOST:PORT; %s cannot be "
                "read",
                s->meter);
    for (int i = 0; i < s->tags.count; i++)
        if (strchr(s->tags.item[i], ','))
            return fail(e, -EINVAL, "a tag has no comma: --tag '%s'",
                    s->tags.item[i]);
    return push_options_check(&s->push, e);
}

static void join_tags(struct buf *out, const struct option_texts *tags)
{
    for (int i = 0; i < tags->count; i++)
        buf_printf(out, "%s%s", i ? "," : "", tags->item[i]);
}

int metered_run(struct session_outcome *out, struct store **store,
        const struct metered_settings *s, char *const *argv, struct error *e)
{
    char hook[PATH_MAX];
    struct buf tags = { 0 };
    struct push *push = NULL;

    *store = NULL;
    if (settings_hook_path(hook, sizeof(hook)))
        return fail(e, -ENOENT,
                "libortmeter.so is neither beside ortmeter nor in its ../lib: "
                "build or install it");

    int rc = database_open_as(store, &(struct database){ s->db, s->key_file },
            STORE_WRITE, e);

    if (!rc)
        rc = push_options_open(&push, &s->push, e);
    if (rc) {
        store_close(*store);
        *store = NULL;
        return rc;
    }
    join_tags(&tags, &s->tags);
    rc = session_run(out, *store,
            &(struct session_plan){
                    .argv = argv,
                    .hook = hook,
                    .tags = tags.len ? buf_cstr(&tags) : NULL,
                    .ops = s->ops,
                    .ring_records = s->buffer,
                    .push = push,
                    .hz = s->hz,
                    .energy =
                            &(struct energy_plan){
                                    .mode = (enum energy_mode)s->energy.index,
                                    .given = s->watts,
                                    .meter = s->meter },
            },
            e);
    push_free(push);
    buf_release(&tags);
    if (rc) {
        store_close(*store);
        *store = NULL;
    }
    return rc;
}
