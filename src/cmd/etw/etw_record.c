#include "cmd/etw/etw_record.h"

#include "base/compiler.h"
#include "etw/event.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define FLUSH_BYTES 65536
#define SECOND_NS   INT64_C(1000000000)

struct recorder {
    const struct etw_settings *settings;
    struct etw_live *live;
    etw_record_put *put;
    void *to;
    struct buf lines;
    int64_t flushed_ns;
    uint64_t written, unwanted;
    bool in_vain;
};

/* --- settings --------------------------------------------------------------
 */

/* A list with commas.  Returns its bits; 0: `bad` is no flag. */
static uint32_t flags_of(const char *list, struct str *bad)
{
    uint32_t bits = 0;
    struct str rest = str_of(list);

    do {
        char name[64] = { 0 };
        struct str one = str_trim(str_before(rest, ','));

        *bad = one;
        if (one.len >= sizeof(name))
            return 0;
        memcpy(name, one.p, one.len);
        if (!etw_flag_of(name))
            return 0;
        bits |= etw_flag_of(name);
        rest = str_after(rest, ',');
    } while (rest.len);
    return bits;
}

int etw_record_check(const struct etw_settings *s, struct error *e)
{
    const struct etw_record_settings *r = &s->record;
    struct str bad;
    const struct {
        const char *name;
        uint64_t value, least, most;
    } numbers[] = {
        { "buffer-kb", r->buffer_kb, 1, 16384 }, /* Windows' own limit */
        { "min-buffers", r->min_buffers, 2, 65536 },
        { "max-buffers", r->max_buffers, r->min_buffers, 65536 },
        { "flush", r->flush_s, 0, 3600 },
        { "sample-hz", r->sample_hz, 1, 8192 },
        { "max-rate", r->max_rate, 0, UINT32_MAX },
        { "pid", s->filter.has_pid ? s->filter.pid : 0, 0, UINT32_MAX - 1 },
    };

    for (size_t i = 0; i < LEN(numbers); i++)
        if (numbers[i].value < numbers[i].least ||
                numbers[i].value > numbers[i].most)
            return fail(e, -EINVAL, "--%s is from %" PRIu64 " to %" PRIu64,
                    numbers[i].name, numbers[i].least, numbers[i].most);
    if (!r->session[0] || strlen(r->session) > 100)
        return fail(e, -EINVAL, "--session is a name of up to 100 letters");
    if (r->flags && !flags_of(r->flags, &bad))
        return fail(e, -EINVAL, "'%.*s' is no kernel flag", (int)bad.len,
                bad.p);
    return 0;
}

static size_t take_names(const char **to, size_t count,
        const struct option_texts *from)
{
    for (int i = 0; i < from->count && count < ETW_LIST_MAX; i++)
        to[count++] = from->item[i];
    return count;
}

static struct etw_live_settings live_settings(const struct etw_settings *s)
{
    const struct etw_record_settings *r = &s->record;
    struct etw_live_settings l = etw_live_defaults();
    struct str bad;

    l.session_name = r->session;
    l.buffer_size_kb = (uint32_t)r->buffer_kb;
    l.min_buffers = (uint32_t)r->min_buffers;
    l.max_buffers = (uint32_t)r->max_buffers;
    l.flush_timer_s = (uint32_t)r->flush_s;
    l.cpu_sampling_hz = (uint32_t)r->sample_hz;
    l.max_events_per_s = r->max_rate;
    l.stack_walk = r->stacks;
    if (r->flags)
        l.kernel_flags = flags_of(r->flags, &bad);
    if (s->filter.has_pid)
        l.include_pids[l.include_pid_count++] = (uint32_t)s->filter.pid;
    l.include_name_count = take_names(l.include_names, 0, &r->only);
    l.exclude_name_count =
            take_names(l.exclude_names, l.exclude_name_count, &r->without);
    return l;
}

/* --- records ---------------------------------------------------------------
 */

static void flush(struct recorder *x)
{
    if (x->lines.len && !x->put(x->to, buf_str(&x->lines)))
        x->in_vain = true;
    buf_clear(&x->lines);
}

static void take(void *context, const struct etw_record *r)
{
    struct recorder *x = context;
    const struct etw_info *info = etw_live_info(x->live);
    struct etw_filter f = x->settings->filter;
    int64_t now = etw_trace_ns(info, r->time);

    f.has_pid = false; /* the session itself looks at it */
    if (!etw_filter_passes(&f, r, info)) {
        x->unwanted++;
        return;
    }

    struct json j = json_line_into(&x->lines);

    etw_event_json(&j, r, info);
    buf_char(&x->lines, '\n');
    x->written++;
    /* Somebody may be watching. */
    if (x->lines.len >= FLUSH_BYTES || now - x->flushed_ns >= SECOND_NS) {
        x->flushed_ns = now;
        flush(x);
    }
    if (x->in_vain || x->written == x->settings->limit)
        etw_live_stop(x->live);
}

static void add_if(struct buf *out, uint64_t count, const char *what)
{
    if (count)
        buf_printf(out, ", %" PRIu64 " %s", count, what);
}

static void say(struct buf *out, const struct recorder *x)
{
    const struct etw_live_tally *y = etw_live_tally(x->live);

    buf_printf(out, "%" PRIu64 " events were recorded", x->written);
    add_if(out, x->unwanted, "were not asked for");
    add_if(out, y->filtered, "were of other processes");
    add_if(out, y->limited, "were above --max-rate");
    buf_printf(out, "; Windows lost %" PRIu32 " events and %" PRIu32 " buffers",
            y->loss.events_lost,
            y->loss.buffers_lost + y->loss.realtime_buffers_lost);
}

static int refuse(const struct etw_live_error *why, int rc, struct error *e)
{
    return fail(e, rc, "%s: %s", etw_live_error_name(why->kind), why->text);
}

int etw_record(const struct etw_settings *s, const struct etw_live_api *api,
        etw_record_put *put, void *to, struct buf *said, struct error *e)
{
    struct etw_live_settings live = live_settings(s);
    struct recorder x = { .settings = s, .put = put, .to = to };
    struct etw_live_error why;

    if (!api)
        return fail(e, -ENOTSUP,
                "Windows' event tracing is only on Windows: record there, and "
                "read the .etl file here");

    int rc = etw_live_start(&x.live, &live, api, take, &x, &why);

    if (rc)
        return refuse(&why, rc, e);
    etw_record_watch(x.live, s->record.seconds);
    rc = etw_live_run(x.live, &why);
    etw_record_unwatch();
    etw_live_stop(x.live);
    flush(&x);
    say(said, &x);
    buf_release(&x.lines);
    etw_live_free(x.live);
    return rc ? refuse(&why, rc, e) : 0;
}
