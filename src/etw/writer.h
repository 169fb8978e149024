/* writer.h -- writes an .etl file: the header, then buffers of records.
 *
 * Bytes go out in one direction, so how many buffers there will be must be
 * known before: whoever wants it in the header writes twice, and the first time
 * to nowhere.  The same calls give the same bytes on every system.
 *
 * Times are nanoseconds since the trace's start; within a lane they never go
 * back.  A lane is what readers take for a processor: each has buffers of its
 * own, and the readers merge them. */
#pragma once

#include "base/buf.h"
#include "etw/guid.h"

#include <stdbool.h>
#include <stdint.h>

struct etw_writer;

typedef void etw_put(void *context, const void *bytes, size_t len);

struct etw_writing {
    const char *session, *file; /* names in the header */
    uint64_t start_wall_ns;     /* since 1970 */
    uint64_t duration_ns;       /* 0: not known */
    uint32_t lanes;             /* at least 1 */
    uint32_t buffer_bytes;      /* 0: 64 KB */
    uint32_t buffers;           /* what etw_writer_end() said; 0: not known */
};

/* Writes the header. */
struct etw_writer *etw_writer_new(const struct etw_writing *x, etw_put *put,
        void *context);

/* Who and when: of every record. */
struct etw_stamp {
    uint32_t lane;
    uint32_t pid, tid;
    uint64_t time_ns;
};

/* Of the kernel's: with the ids in the header, or without, which is shorter. */
void etw_write_kernel(struct etw_writer *w, const struct etw_stamp *s,
        uint8_t group, uint8_t opcode, uint8_t version, const void *data,
        size_t len);
void etw_write_short(struct etw_writer *w, const struct etw_stamp *s,
        uint8_t group, uint8_t opcode, uint8_t version, const void *data,
        size_t len);

/* The kernel's, from what they say.  Texts may be NULL. */
enum etw_life {
    ETW_STARTS = 1,
    ETW_STOPS = 2,
    ETW_IS_THERE = 3,
    ETW_STAYS = 4
};

void etw_write_process(struct etw_writer *w, const struct etw_stamp *s,
        enum etw_life life, uint32_t parent, int32_t exit_status,
        const char *name, const char *command);
void etw_write_thread(struct etw_writer *w, const struct etw_stamp *s,
        enum etw_life life, const char *name);
void etw_write_image(struct etw_writer *w, const struct etw_stamp *s,
        const char *path);
/* `old_state` and `wait_reason` as Windows numbers them. */
void etw_write_switch(struct etw_writer *w, const struct etw_stamp *s,
        uint32_t new_tid, uint32_t old_tid, uint8_t old_state,
        uint8_t wait_reason);
void etw_write_sample(struct etw_writer *w, const struct etw_stamp *s,
        uint64_t ip);

/* An event that describes itself: begun, filled field by field, written.
 * Starts zeroed, and may be used again. */
struct etw_draft {
    struct buf schema, data;
};

struct etw_provider {
    const struct guid *guid;
    const char *name;
};

void etw_draft_begin(struct etw_draft *d, const char *name);
void etw_draft_u32(struct etw_draft *d, const char *name, uint32_t value);
void etw_draft_u64(struct etw_draft *d, const char *name, uint64_t value);
void etw_draft_i64(struct etw_draft *d, const char *name, int64_t value);
void etw_draft_u8(struct etw_draft *d, const char *name, uint8_t value);
void etw_draft_bool(struct etw_draft *d, const char *name, bool value);
void etw_draft_real(struct etw_draft *d, const char *name, double value);
/* UTF-8; what is longer than 4000 bytes is cut, as a record cannot hold it. */
void etw_draft_text(struct etw_draft *d, const char *name, const char *text);
void etw_draft_write(struct etw_writer *w, const struct etw_stamp *s,
        const struct etw_provider *p, struct etw_draft *d, uint8_t level,
        uint8_t opcode, uint64_t keyword);
void etw_draft_release(struct etw_draft *d);

/* Writes what is left and frees.  Returns the number of buffers. */
uint32_t etw_writer_end(struct etw_writer *w);
