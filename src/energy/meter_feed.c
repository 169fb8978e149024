#include "energy/meter_feed.h"

#include "base/alloc.h"
#include "energy/meter.h"
#include "os/inflow.h"

#include <stdlib.h>

#define AT_ONCE                                                 \
    65536 /* bytes that one poll takes at most, so that a flood \
           * does not hold up everything else */

struct meter_feed {
    struct meter_feed_plan plan;
    struct inflow *inflow;
    struct meter_reader reader;
    int error;
};

static void sample(void *to, const struct meter_sample *s)
{
    const struct meter_feed *f = to;
    const struct meter_feed_plan *p = &f->plan;
    int64_t mono = (int64_t)(s->wall_ns - p->wall_ns) + (int64_t)p->mono_ns;

    /* A file may hold readings of long ago. */
    if (mono < 0)
        return;
    p->take(p->context, &(struct reading){
                                .time_ns = (uint64_t)mono,
                                .value = s->watts,
                                .subject = p->subject,
                                .metric = METRIC_zone_power_watts,
                                .method = READING_MEASURED,
                        });
}

int meter_feed_open(struct meter_feed **out, const struct meter_feed_plan *plan,
        struct error *e)
{
    struct meter_feed *f = alloc_zero(1, sizeof(*f));
    int rc = inflow_open(&f->inflow, plan->name, e);

    if (rc) {
        free(f);
        return rc;
    }
    f->plan = *plan;
    f->reader = (struct meter_reader){ .take = sample, .context = f };
    *out = f;
    return 0;
}

void meter_feed_poll(struct meter_feed *f)
{
    char bytes[4096];
    size_t taken = 0;

    while (!f->error && taken < AT_ONCE) {
        int n = inflow_read(f->inflow, bytes, sizeof(bytes));

        if (n < 0)
            f->error = n;
        if (n <= 0)
            break;
        meter_feed(&f->reader, bytes, (size_t)n);
        taken += (size_t)n;
    }
}

uint64_t meter_feed_samples(const struct meter_feed *f)
{
    return f->reader.samples;
}

uint64_t meter_feed_bad(const struct meter_feed *f)
{
    return f->reader.bad;
}

int meter_feed_error(const struct meter_feed *f)
{
    return f->error;
}

void meter_feed_close(struct meter_feed *f)
{
    if (!f)
        return;
    inflow_close(f->inflow);
    meter_end(&f->reader);
    free(f);
}
