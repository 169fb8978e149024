/* perfetto_packets.h -- Perfetto's own trace format, packet by packet: see
 * protos/perfetto/trace in its sources.
 *
 * A file is a row of packets, so it is written as it comes, and one that is cut
 * short loses only its last packet.  Names and texts are written once and named
 * by numbers from then on.  Times are nanoseconds of CLOCK_MONOTONIC.  Tracks
 * are named by any number but 0; a track is described once.  On a track, slices
 * lie in each other or beside each other.  Texts are any bytes: what is not
 * UTF-8 is replaced. */
#pragma once

#include "export/sink.h"

#include <stdint.h>

struct perfetto;

/* The clocks showed these times at the same moment. */
struct perfetto *perfetto_new(struct sink *to, uint64_t mono_ns,
        uint64_t wall_ns);
/* Writes the rest.  NULL is welcome. */
void perfetto_free(struct perfetto *p);

/* --- tracks --------------------------------------------------------------- */

void perfetto_process(struct perfetto *p, uint64_t track, uint64_t pid,
        const char *name);
void perfetto_thread(struct perfetto *p, uint64_t track, uint64_t pid,
        uint64_t tid, const char *name);
/* A further lane below a process. */
void perfetto_lane(struct perfetto *p, uint64_t track, uint64_t process_track,
        const char *name);
/* Numbers over time. */
void perfetto_counter(struct perfetto *p, uint64_t track, const char *name,
        const char *unit);

/* --- events --------------------------------------------------------------- */

/* Begins an event; arguments follow, then one of the next three. */
void perfetto_event(struct perfetto *p, uint64_t track, const char *category,
        const char *name);
void perfetto_text(struct perfetto *p, const char *key, const char *text);
void perfetto_u64(struct perfetto *p, const char *key, uint64_t value);
void perfetto_i64(struct perfetto *p, const char *key, int64_t value);

void perfetto_slice(struct perfetto *p, uint64_t start_ns,
        uint64_t duration_ns);
void perfetto_instant(struct perfetto *p, uint64_t time_ns);

/* An event of its own. */
void perfetto_value(struct perfetto *p, uint64_t track, uint64_t time_ns,
        double value);
