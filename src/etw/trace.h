/* trace.h -- an .etl file, record by record in the order of their times.
 *
 * Buffers are the processors' own, so the records of all processors are merged.
 * Only the buffer that each processor is at is mapped, and only compressed ones
 * are copied: memory depends on buffers and processors, and by a few bytes a
 * buffer on the file's size.  What is damaged is passed over and counted.
 *
 *     struct etw_trace *t;
 *     const struct etw_record *r;
 *
 *     if (etw_trace_open(&t, path, &e) == 0)
 *         while ((r = etw_trace_next(t)))
 *             ...
 *     etw_trace_close(t); */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "etw/record.h"

struct etw_trace;

enum etw_clock { ETW_QPC = 1, ETW_SYSTEM_TIME = 2, ETW_CYCLES = 3 };

/* Windows counts 100 ns since 1601; from there to 1970: */
#define ETW_FILETIME_1970 INT64_C(116444736000000000)

/* What the trace says about itself. */
struct etw_info {
    uint32_t buffer_bytes; /* uncompressed */
    uint8_t os_major, os_minor;
    uint8_t version_major, version_minor; /* of the format */
    uint32_t os_build;
    uint32_t processors;
    int64_t start_time, end_time; /* FILETIME; 0: not written */
    int64_t boot_time;
    uint32_t timer_resolution; /* 100 ns */
    uint32_t max_file_mb;
    uint32_t mode;
    uint32_t buffers_written;
    uint32_t pointer_bytes;
    uint32_t events_lost, buffers_lost;
    uint32_t cpu_mhz;
    int32_t utc_bias_minutes; /* local time plus this is UTC */
    uint64_t frequency;       /* of the clock, a second */
    uint32_t clock;           /* enum etw_clock */
    int64_t first_time;       /* of the clock, when the trace began */
    uint8_t compression;      /* enum etw_compression */
    struct buf session, file; /* names, UTF-8 */
};

struct etw_tally {
    uint64_t bytes;
    uint64_t buffers; /* whole ones, the first included */
    uint64_t records;
    uint64_t messages;           /* of these, WPP's, which are only counted */
    uint64_t damaged_buffers;    /* that could not be read to their end */
    uint64_t skipped_bytes;      /* in these, and of what is no buffer at all */
    uint64_t cut_bytes;          /* at the end: a buffer that is not whole */
    uint64_t unused_bytes;       /* at the end: zeros, which no buffer filled */
    uint64_t lossy_buffers;      /* that say that events or buffers were lost */
    uint64_t uncompressed_bytes; /* of the records' buffers */
};

/* -EINVAL: it is no trace; -ENODATA: it ends within its first buffer. */
int etw_trace_open(struct etw_trace **out, const char *path, struct error *e);
/* The same in memory, which is borrowed.  `name` is for the error. */
int etw_trace_open_bytes(struct etw_trace **out, const unsigned char *bytes,
        size_t len, const char *name, struct error *e);

/* NULL: that was all.  Valid until the next call. */
const struct etw_record *etw_trace_next(struct etw_trace *t);

const struct etw_info *etw_trace_info(const struct etw_trace *t);
/* Records are counted as they are read. */
const struct etw_tally *etw_trace_tally(const struct etw_trace *t);

/* Nanoseconds since the trace began; what is earlier is negative.  At most 73
 * years either way, which only damaged traces exceed. */
#define ETW_NS_MAX (INT64_MAX / 4)
int64_t etw_trace_ns(const struct etw_info *i, int64_t time);

/* Nanoseconds since 1970 at which it began; 0: not told. */
uint64_t etw_trace_wall_ns(const struct etw_info *i);

/* Adds sentences about what is missing, once all was read; nothing if nothing
 * is. */
void etw_trace_missing(struct buf *out, const struct etw_trace *t);

/* NULL is welcome. */
void etw_trace_close(struct etw_trace *t);

/* Whether a file that begins so is a trace. */
bool etw_trace_recognise(const unsigned char *head, size_t len);
