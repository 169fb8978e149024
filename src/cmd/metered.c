#include "cmd/metered.h"

#include "analyse/history.h"
#include "base/buf.h"
#include "cmd/database.h"
#include "cmd/settings.h"
#include "cmd/source.h"
#include "os/path.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define METER_OFFSET_MOST_S 86400

static bool is_ops(const char *text)
{
    uint64_t number = 0;

    return strcmp(text, "off") == 0 || strcmp(text, "auto") == 0 ||
           strcmp(text, "all") == 0 ||
           (str_u64(&number, str_of(text)) == 0 && number > 0);
}

static int check_store(const struct metered_settings *s, struct error *e)
{
    struct address a;
    int rc = source_address(&a, s->store, e);

    address_release(&a);
    return rc < 0 ? rc : 0;
}

static double meter_offset_s(const struct metered_settings *s)
{
    double seconds = 0;

    if (s->meter_offset && str_f64(&seconds, str_of(s->meter_offset)))
        return NAN;
    return seconds;
}

static int check_meter(const struct metered_settings *s, struct error *e)
{
    if (s->meter && strcmp(s->meter, "-") != 0 &&
            !str_starts(str_of(s->meter), "tcp:") &&
            path_readable("%s", s->meter))
        return fail(e, -EINVAL,
                "--meter takes a file, a pipe or tcp:HOST:PORT; %s cannot be "
                "read",
                s->meter);
    if (s->meter_offset && !s->meter)
        return fail(e, -EINVAL, "--meter-offset is nothing without --meter");
    if (!(fabs(meter_offset_s(s)) <= METER_OFFSET_MOST_S))
        return fail(e, -EINVAL,
                "--meter-offset takes seconds, at most a day either way, not "
                "'%s'",
                s->meter_offset);
    return 0;
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
    if (check_meter(s, e))
        return -EINVAL;
    for (int i = 0; i < s->tags.count; i++)
        if (strchr(s->tags.item[i], ','))
            return fail(e, -EINVAL, "a tag has no comma: --tag '%s'",
                    s->tags.item[i]);
    int rc = check_store(s, e);

    return rc ? rc : push_options_check(&s->push, e);
}

static void join_tags(struct buf *out, const struct option_texts *tags)
{
    for (int i = 0; i < tags->count; i++)
        buf_printf(out, "%s%s", i ? "," : "", tags->item[i]);
}

static int open_database(struct store **out, const struct metered_settings *s,
        struct error *e)
{
    return database_open_as(out, &(struct database){ s->db, s->key_file },
            STORE_WRITE, e);
}

/* The recording has a connection to the database of its own: the one is never
 * held up by the other. */
static int start_shipper(struct metered *m, const struct metered_settings *s,
        struct error *e)
{
    struct store *store = NULL;
    struct address a;
    int rc = source_address(&a, s->store, e);

    if (rc <= 0)
        return rc;
    rc = open_database(&store, s, e);
    if (!rc)
        rc = shipper_start(&m->shipper, store, &a, e);
    address_release(&a);
    return rc;
}

int metered_run(struct metered *out, const struct metered_settings *s,
        char *const *argv, struct error *e)
{
    char hook[PATH_MAX];
    struct buf tags = { 0 };
    struct push *push = NULL;

    *out = (struct metered){ 0 };
    if (settings_hook_path(hook, sizeof(hook)))
        return fail(e, -ENOENT,
                "libortmeter.so is neither beside ortmeter nor in its ../lib: "
                "build or install it");

    int rc = open_database(&out->store, s, e);

    if (!rc)
        rc = start_shipper(out, s, e);
    if (!rc)
        rc = push_options_open(&push, &s->push, e);
    join_tags(&tags, &s->tags);
    if (!rc)
        rc = session_run(&out->outcome, out->store,
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
                                        .mode = (enum energy_mode)
                                                        s->energy.index,
                                        .given = s->watts,
                                        .meter = s->meter,
                                        .meter_offset_given =
                                                s->meter_offset != NULL,
                                        .meter_offset_s = meter_offset_s(s) },
                },
                e);
    push_free(push);
    buf_release(&tags);
    if (rc) {
        struct shipper_outcome nothing;

        shipper_stop(out->shipper, 0, &nothing);
        store_close(out->store);
        *out = (struct metered){ 0 };
    }
    return rc;
}

void metered_close(struct metered *m, const char *verb)
{
    struct shipper_outcome sent;

    if (m->shipper)
        (void)history_complete(m->store, NULL); /* they go with it */
    shipper_stop(m->shipper, m->outcome.run.row, &sent);
    if (sent.failed)
        (void)fprintf(stderr,
                "ortmeter %s: %s; the run is kept and is sent with the next, "
                "or by 'ortmeter ship'\n",
                verb, sent.why.text);
    store_close(m->store);
    *m = (struct metered){ 0 };
}
