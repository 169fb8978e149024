/* etw_folded.c -- the stacks of a trace, one a line: the process, the outermost
 * frame first, the innermost last, and how often it was seen.  Flame graphs are
 * made of this; names are those of images, since a trace has no symbols. */
#include "base/map.h"
#include "cmd/etw/etw_views.h"
#include "etw/activity.h"
#include "etw/decode.h"
#include "etw/images.h"
#include "etw/stacks.h"
#include "export/sink.h"

#include <inttypes.h>
#include <stdio.h>

#define FLAGS_INTERRUPT 3 /* of a sample: within a DPC or an ISR */

struct folding {
    struct etw_activity *activity;
    struct etw_images *images;
    struct etw_stacks *stacks;
    struct buf line;
    struct sink *to;
};

/* A processor that has nothing to do is sampled, too, and has no stack. */
static bool is_idle(const struct etw_record *r)
{
    size_t flags = (size_t)r->pointer_bytes + 6;

    return !etw_stack_thread(r) &&
           (r->len <= flags || !(r->data[flags] & FLAGS_INTERRUPT));
}

static bool is_sample(const struct etw_record *r)
{
    return etw_class_of(r) == ETW_CLASS_PERF_INFO && r->opcode == 46;
}

/* Samples name no process, so whose they are is asked here. */
static bool is_meant(const struct etw_filter *f, const struct etw_record *r,
        const struct etw_info *info, uint32_t pid)
{
    struct etw_filter rest = *f;

    rest.has_pid = false;
    if (etw_stack_thread(r) == ETW_NO_ID || (is_sample(r) && is_idle(r)))
        return false;
    if (!f->events.count && !is_sample(r))
        return false;
    return (!f->has_pid || pid == f->pid) && etw_filter_passes(&rest, r, info);
}

/* What would end a frame's name or the line. */
static void add_name(struct buf *out, struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.p[i];

        if (c == ';' || c < ' ' || c == 0x7f)
            buf_char(out, '_');
        else
            buf_char(out, name.p[i]);
    }
}

static void add_frames(struct folding *f, uint32_t pid, const uint64_t *frames,
        size_t count)
{
    struct buf name = { 0 };

    while (count--) {
        buf_clear(&name);
        etw_images_name(&name, f->images, pid, frames[count]);
        buf_char(&f->line, ';');
        add_name(&f->line, buf_str(&name));
    }
    buf_release(&name);
}

static void write_line(struct folding *f, uint64_t count)
{
    buf_printf(&f->line, " %" PRIu64 "\n", count);
    sink_write(f->to, buf_str(&f->line));
    buf_clear(&f->line);
}

static void write_stack(struct folding *f, const struct etw_stack *x)
{
    size_t at = etw_activity_find(f->activity, x->pid);
    const struct etw_process *p = etw_activity_process(f->activity, at);

    if (p->name.len)
        add_name(&f->line, buf_str(&p->name));
    else
        buf_char(&f->line, '?');
    if (x->pid != ETW_NO_ID)
        buf_printf(&f->line, " (%" PRIu32 ")", x->pid);
    add_frames(f, x->pid, x->user, x->user_count);
    add_frames(f, x->pid, x->kernel, x->kernel_count);
    write_line(f, x->count);
}

static void write_all(struct folding *f)
{
    const struct etw_stacks_tally *y = etw_stacks_tally(f->stacks);

    for (size_t i = 0; i < etw_stacks_count(f->stacks); i++) {
        struct etw_stack x = etw_stacks_at(f->stacks, i);

        write_stack(f, &x);
    }
    if (y->bare) {
        buf_text(&f->line, "[no stack]");
        write_line(f, y->bare);
    }
    if (y->unsolved + y->dropped) {
        buf_text(&f->line, "[stack not told]");
        write_line(f, y->unsolved + y->dropped);
    }
}

static void say(const struct etw_stacks_tally *y)
{
    uint64_t all = y->joined + y->bare + y->unsolved + y->dropped;

    (void)fprintf(stderr,
            "ortmeter etw: %" PRIu64 " of %" PRIu64
            " events have a stack; of %" PRIu64 " only a key is told",
            y->joined, all, y->unsolved);
    if (y->dropped)
        (void)fprintf(stderr, "; %" PRIu64 " are left out, as too many differ",
                y->dropped);
    (void)fprintf(stderr, "\n");
}

void etw_write_folded(const struct etw_settings *s, struct etw_trace *t,
        struct sink *to)
{
    const struct etw_info *info = etw_trace_info(t);
    struct folding f = { .activity = etw_activity_new(info),
        .images = etw_images_new(),
        .stacks = etw_stacks_new(),
        .to = to };
    uint64_t left = s->limit ? s->limit : UINT64_MAX;
    const struct etw_record *r;

    while ((r = etw_trace_next(t))) {
        etw_activity_take(f.activity, r);
        etw_images_take(f.images, r);
        etw_stacks_take(f.stacks, r);

        uint32_t pid = r->pid;

        if (pid == ETW_NO_ID)
            pid = etw_activity_owner(f.activity, etw_stack_thread(r));
        if (left && is_meant(&s->filter, r, info, pid)) {
            etw_stacks_await(f.stacks, r, pid);
            left--;
        }
    }
    etw_stacks_end(f.stacks);
    write_all(&f);
    say(etw_stacks_tally(f.stacks));
    buf_release(&f.line);
    etw_stacks_free(f.stacks);
    etw_images_free(f.images);
    etw_activity_free(f.activity);
}
