#include "cmd/watch_push.h"

#include "base/alloc.h"
#include "base/json.h"
#include "model/host.h"
#include "os/child.h"
#include "os/clock.h"
#include "os/host.h"
#include "store/store.h"

#include <stdlib.h>

struct watch_push {
    struct push *push;
    const struct watching *watching;
    struct map told; /* subjects that the receivers know */
    struct run run;
};

static void begin(struct watch_push *p, char *const *argv)
{
    struct buf machine = { 0 };
    struct json j = json_line_into(&machine);
    struct host_info host;

    host_read(&host, "");
    host_json(&j, NULL, &host);
    p->run.started_wall_ns = wall_ns();
    p->run.meter_pid = own_pid();
    p->run.command = argv ? argv[0] : "ortmeter watch";
    p->run.host = buf_cstr(&machine);
    p->run.version = ORTMETER_VERSION;
    push_begin(p->push, &p->run);
    push_start(p->push);
    p->run.host = NULL;
    buf_release(&machine);
}

int watch_push_open(struct watch_push **out, const struct push_settings *s,
        const struct watching *w, char *const *argv, struct error *e)
{
    struct push *push = NULL;
    struct run run = { .id = "" };
    int rc = push_options_open(&push, s, e);

    *out = NULL;
    if (rc || !push)
        return rc;
    rc = store_make_id(run.id, e);
    if (rc) {
        push_free(push);
        return rc;
    }
    *out = alloc_zero(1, sizeof(**out));
    (*out)->push = push;
    (*out)->watching = w;
    (*out)->run = run;
    begin(*out, argv);
    return 0;
}

static void tell_subject(struct watch_push *p, uint32_t id)
{
    const struct subject *x =
            subjects_get(sampling_subjects(p->watching->sampling), id);

    if (!x || map_find(&p->told, id))
        return;
    if (x->parent)
        tell_subject(p, x->parent); /* as deep as devices have parts */
    push_subject(p->push, id, x);
    map_put(&p->told, id, 1);
}

/* What is there now: nothing is sent of processes that have gone. */
static void gather(struct watch_push *p)
{
    const struct board *b = p->watching->board;

    for (size_t i = 0; i < board_count(b); i++) {
        const struct board_row *row = board_at(b, i);

        tell_subject(p, row->subject);
        for (size_t k = 0; k < row->count; k++)
            push_reading(p->push, &(struct reading){
                                          .time_ns = row->figure[k].time_ns,
                                          .value = row->figure[k].value,
                                          .subject = row->subject,
                                          .metric = row->figure[k].metric,
                                          .method = row->figure[k].method,
                                  });
    }
}

void watch_push_tick(struct watch_push *p, uint64_t now_ns)
{
    if (!p || !push_is_due(p->push, now_ns))
        return;
    gather(p);
    push_tick(p->push, now_ns);
}

void watch_push_close(struct watch_push *p, struct buf *told)
{
    if (!p)
        return;
    gather(p);
    push_end(p->push, &p->run, told);
    push_free(p->push);
    map_release(&p->told);
    free(p);
}
