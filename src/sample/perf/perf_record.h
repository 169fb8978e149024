/* perf_record.h -- records in the memory that perf_event_open(2) shares, of
 * events that were opened with
 *
 *     sample_type = IDENTIFIER | TID | TIME | ADDR | CPU (| RAW), sample_id_all
 *
 * Pure functions on borrowed bytes. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum perf_record_kind {
    PERF_RECORDED_SAMPLE,
    PERF_RECORDED_SWITCH,
    PERF_RECORDED_LOSS, /* `lost` records found no room */
    PERF_RECORDED_OTHER
};

struct perf_record {
    enum perf_record_kind kind;
    bool out;       /* a switch: away from the CPU, */
    bool preempted; /* and not by the thread's own will */
    uint64_t id;    /* of the event */
    uint64_t time_ns, address, lost;
    uint32_t pid, tid, cpu;
    struct str raw; /* of a tracepoint; points into the bytes */
};

/* Takes the next record off `rest`.  False: none is left, or the rest of it is
 * not there yet, or it is broken; `rest` is untouched. */
bool perf_record_next(struct perf_record *out, struct str *rest);

/* Where a tracepoint has a field, from its format file in tracefs, in which
 * this is a line:
 *
 *     field:sector_t sector;  offset:16;  size:8;  signed:0;
 *
 * -ENOENT: it has no such field, or one that is not 1 to 8 bytes long. */
struct trace_field {
    uint64_t offset, size;
};

int trace_field_find(struct trace_field *out, struct str format,
        const char *name);

/* The number there.  False: `raw` ends before it. */
bool trace_field_get(uint64_t *out, struct str raw, struct trace_field f);
