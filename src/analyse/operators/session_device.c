#include "analyse/operators/session_device.h"

#include "analyse/summary.h"
#include "base/alloc.h"

#include <stdlib.h>

/* The devices of a run, numbered anew. */
struct found {
    struct subjects *devices;
    bool looked; /* something was sampled, so devices were looked for */
};

static void take_subject(void *to, const struct subject_entry *x)
{
    struct found *f = to;

    f->looked = true;
    if (x->subject.kind == SUBJECT_DEVICE && x->subject.name)
        (void)subjects_add(f->devices, &x->subject);
}

static void keep(struct session_device *d, const struct device_match *m,
        const struct found *f)
{
    d->kind = m->kind;
    if (m->kind == DEVICE_MATCH_ABSENT && !f->looked) {
        d->kind = DEVICE_MATCH_UNSURE;
        d->reason = alloc_text("cannot tell: no device was looked for when "
                               "this was recorded");
    } else if (m->kind != DEVICE_MATCH_FOUND) {
        d->reason = alloc_text(m->words);
    }
    d->devices = alloc_zero(m->count + 1, sizeof(*d->devices));
    for (; d->count < m->count; d->count++) {
        const struct subject *x = subjects_get(f->devices, m->device[d->count]);

        d->devices[d->count] = (struct session_device_name){
            .name = alloc_text(x->name),
            .detail = x->detail ? alloc_text(x->detail) : NULL,
        };
    }
}

int session_devices_read(struct summary *s, struct store *store, int64_t run,
        struct error *e)
{
    struct found f = { .devices = subjects_new("") };
    int rc = store_each_subject(store, run, take_subject, &f, e);

    for (size_t i = 0; !rc && i < s->session_count; i++) {
        struct summary_session *x = &s->sessions[i];
        struct device_match m;

        if (!x->providers || x->error)
            continue;
        device_match(&m, f.devices, str_of(x->providers), x->options);
        if (m.kind != DEVICE_MATCH_CPU)
            keep(&x->device, &m, &f);
    }
    subjects_free(f.devices);
    return rc;
}

void session_device_release(struct session_device *d)
{
    for (size_t i = 0; i < d->count; i++) {
        free(d->devices[i].name);
        free(d->devices[i].detail);
    }
    free(d->devices);
    free(d->reason);
}
