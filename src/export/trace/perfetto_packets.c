#include "export/trace/perfetto_packets.h"

#include "base/alloc.h"
#include "base/pb.h"
#include "base/utf8.h"
#include "export/trace/interned.h"

#include <stdlib.h>

#define FLUSH_BYTES 65536

/* TracePacket */
enum {
    PACKET_CLOCKS = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_DEFAULTS = 59,
    PACKET_CLOCK_ID = 58, /* also within the defaults */
    PACKET_TRACK = 60,
};
#define FLAG_STATE_CLEARED 1
#define FLAG_NEEDS_STATE   2
#define OUR_SEQUENCE       1

/* BuiltinClock */
enum { CLOCK_WALL = 1, CLOCK_MONO = 3, CLOCK_BOOT = 6 };

/* TrackEvent and its types */
enum {
    EVENT_CATEGORY = 3,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME = 10,
    EVENT_TRACK = 11,
    EVENT_DOUBLE = 44,
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };

/* What is interned, by its field in InternedData. */
enum {
    TEXT_CATEGORY = 1,
    TEXT_NAME = 2,
    TEXT_KEY = 3,
    TEXT_VALUE = 29,
};

struct perfetto {
    struct sink *to;
    struct buf out;
    struct interned categories, names, keys, values;
    struct buf fresh; /* InternedData that the next packet has to bring */
    struct buf event; /* the TrackEvent under way, without its type */
    uint64_t track;   /* of it */
};

/* Protobuf's texts are UTF-8. */
static void add_text(struct buf *out, uint32_t field, const char *text)
{
    size_t begun = pb_begin(out, field);

    utf8_add(out, str_of(text));
    pb_end(out, begun);
}

/* --- packets -------------------------------------------------------------- */

static size_t begin_packet(struct perfetto *p, unsigned flags)
{
    size_t packet = pb_begin(&p->out, 1);

    pb_u64(&p->out, PACKET_SEQUENCE, OUR_SEQUENCE);
    if (flags)
        pb_u64(&p->out, PACKET_FLAGS, flags);
    return packet;
}

static void end_packet(struct perfetto *p, size_t packet)
{
    pb_end(&p->out, packet);
    if (p->out.len >= FLUSH_BYTES) {
        sink_write(p->to, buf_str(&p->out));
        buf_clear(&p->out);
    }
}

static void clock_at(struct buf *out, uint64_t id, uint64_t time_ns)
{
    size_t at = pb_begin(out, 1);

    pb_u64(out, 1, id);
    pb_u64(out, 2, time_ns);
    pb_end(out, at);
}

struct perfetto *perfetto_new(struct sink *to, uint64_t mono_ns,
        uint64_t wall_ns)
{
    struct perfetto *p = alloc_zero(1, sizeof(*p));

    p->to = to;

    size_t packet = begin_packet(p, FLAG_STATE_CLEARED);
    size_t defaults = pb_begin(&p->out, PACKET_DEFAULTS);

    pb_u64(&p->out, PACKET_CLOCK_ID, CLOCK_MONO);
    pb_end(&p->out, defaults);

    size_t clocks = pb_begin(&p->out, PACKET_CLOCKS);

    /* Perfetto counts in boot time, of which we know nothing: the difference
     * is how long the machine was suspended, and shifts all alike. */
    clock_at(&p->out, CLOCK_BOOT, mono_ns);
    clock_at(&p->out, CLOCK_MONO, mono_ns);
    clock_at(&p->out, CLOCK_WALL, wall_ns);
    pb_end(&p->out, clocks);
    end_packet(p, packet);
    return p;
}

void perfetto_free(struct perfetto *p)
{
    if (!p)
        return;
    sink_write(p->to, buf_str(&p->out));
    buf_release(&p->out);
    buf_release(&p->fresh);
    buf_release(&p->event);
    interned_release(&p->categories);
    interned_release(&p->names);
    interned_release(&p->keys);
    interned_release(&p->values);
    free(p);
}

/* --- tracks --------------------------------------------------------------- */

static size_t begin_track(struct perfetto *p, size_t *packet, uint64_t track,
        uint64_t parent)
{
    *packet = begin_packet(p, 0);

    size_t descriptor = pb_begin(&p->out, PACKET_TRACK);

    pb_u64(&p->out, 1, track);
    if (parent)
        pb_u64(&p->out, 5, parent);
    return descriptor;
}

static void end_track(struct perfetto *p, size_t packet, size_t descriptor)
{
    pb_end(&p->out, descriptor);
    end_packet(p, packet);
}

void perfetto_process(struct perfetto *p, uint64_t track, uint64_t pid,
        const char *name)
{
    size_t packet;
    size_t descriptor = begin_track(p, &packet, track, 0);
    size_t process = pb_begin(&p->out, 3);

    pb_u64(&p->out, 1, pid);
    add_text(&p->out, 6, name);
    pb_end(&p->out, process);
    end_track(p, packet, descriptor);
}

void perfetto_thread(struct perfetto *p, uint64_t track, uint64_t pid,
        uint64_t tid, const char *name)
{
    size_t packet;
    size_t descriptor = begin_track(p, &packet, track, 0);
    size_t thread = pb_begin(&p->out, 4);

    pb_u64(&p->out, 1, pid);
    pb_u64(&p->out, 2, tid);
    add_text(&p->out, 5, name);
    pb_end(&p->out, thread);
    end_track(p, packet, descriptor);
}

void perfetto_lane(struct perfetto *p, uint64_t track, uint64_t process_track,
        const char *name)
{
    size_t packet;
    size_t descriptor = begin_track(p, &packet, track, process_track);

    add_text(&p->out, 2, name);
    end_track(p, packet, descriptor);
}

void perfetto_counter(struct perfetto *p, uint64_t track, const char *name,
        const char *unit)
{
    size_t packet;
    size_t descriptor = begin_track(p, &packet, track, 0);

    add_text(&p->out, 2, name);

    size_t counter = pb_begin(&p->out, 8);

    if (unit)
        pb_text(&p->out, 6, unit);
    pb_end(&p->out, counter);
    end_track(p, packet, descriptor);
}

/* --- events --------------------------------------------------------------- */

/* The number to write for a text, which the packet brings if it is new. */
static uint64_t number_of(struct perfetto *p, struct interned *texts,
        uint32_t field, const char *text)
{
    bool fresh = false;
    uint64_t number = interned_number(texts, text, &fresh);

    if (fresh) {
        size_t entry = pb_begin(&p->fresh, field);

        pb_u64(&p->fresh, 1, number);
        add_text(&p->fresh, 2, text);
        pb_end(&p->fresh, entry);
    }
    return number;
}

void perfetto_event(struct perfetto *p, uint64_t track, const char *category,
        const char *name)
{
    buf_clear(&p->event);
    p->track = track;
    pb_u64(&p->event, EVENT_TRACK, track);
    pb_u64(&p->event, EVENT_CATEGORY,
            number_of(p, &p->categories, TEXT_CATEGORY, category));
    pb_u64(&p->event, EVENT_NAME, number_of(p, &p->names, TEXT_NAME, name));
}

static size_t begin_argument(struct perfetto *p, const char *key)
{
    size_t argument = pb_begin(&p->event, EVENT_ANNOTATION);

    pb_u64(&p->event, 1, number_of(p, &p->keys, TEXT_KEY, key));
    return argument;
}

void perfetto_text(struct perfetto *p, const char *key, const char *text)
{
    if (!text)
        return;

    size_t argument = begin_argument(p, key);

    pb_u64(&p->event, 17, number_of(p, &p->values, TEXT_VALUE, text));
    pb_end(&p->event, argument);
}

void perfetto_u64(struct perfetto *p, const char *key, uint64_t value)
{
    size_t argument = begin_argument(p, key);

    pb_u64(&p->event, 3, value);
    pb_end(&p->event, argument);
}

void perfetto_i64(struct perfetto *p, const char *key, int64_t value)
{
    size_t argument = begin_argument(p, key);

    pb_i64(&p->event, 4, value);
    pb_end(&p->event, argument);
}

static size_t begin_moment(struct perfetto *p, uint64_t time_ns)
{
    size_t packet = begin_packet(p, FLAG_NEEDS_STATE);

    pb_u64(&p->out, PACKET_TIMESTAMP, time_ns);
    return packet;
}

static void write_event(struct perfetto *p, uint64_t time_ns, unsigned type)
{
    size_t packet = begin_moment(p, time_ns);

    if (p->fresh.len)
        pb_str(&p->out, PACKET_INTERNED, buf_str(&p->fresh));
    buf_clear(&p->fresh);

    size_t event = pb_begin(&p->out, PACKET_EVENT);

    pb_u64(&p->out, EVENT_TYPE, type);
    buf_add(&p->out, p->event.p, p->event.len);
    pb_end(&p->out, event);
    end_packet(p, packet);
}

void perfetto_slice(struct perfetto *p, uint64_t start_ns, uint64_t duration_ns)
{
    write_event(p, start_ns, TYPE_BEGIN);

    size_t packet = begin_moment(p, start_ns + duration_ns);
    size_t event = pb_begin(&p->out, PACKET_EVENT);

    pb_u64(&p->out, EVENT_TYPE, TYPE_END);
    pb_u64(&p->out, EVENT_TRACK, p->track);
    pb_end(&p->out, event);
    end_packet(p, packet);
}

void perfetto_instant(struct perfetto *p, uint64_t time_ns)
{
    write_event(p, time_ns, TYPE_INSTANT);
}

void perfetto_value(struct perfetto *p, uint64_t track, uint64_t time_ns,
        double value)
{
    size_t packet = begin_moment(p, time_ns);
    size_t event = pb_begin(&p->out, PACKET_EVENT);

    pb_u64(&p->out, EVENT_TYPE, TYPE_COUNTER);
    pb_u64(&p->out, EVENT_TRACK, track);
    pb_double(&p->out, EVENT_DOUBLE, value);
    pb_end(&p->out, event);
    end_packet(p, packet);
}
