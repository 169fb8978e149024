/* made_trace.h -- traces in memory, made by our own writer. */
#pragma once

#include "base/buf.h"
#include "etw/trace.h"
#include "etw/writer.h"

#include <string.h>

#define MADE_WALL_NS UINT64_C(1700000000000000000)

static inline void made_put(void *context, const void *bytes, size_t len)
{
    buf_add(context, bytes, len);
}

static inline struct etw_writer *made_writer(struct buf *out, uint32_t lanes)
{
    const struct etw_writing x = { .session = "made",
        .file = "made.etl",
        .start_wall_ns = MADE_WALL_NS,
        .duration_ns = 5000000000,
        .lanes = lanes,
        .buffer_bytes = 4096 };

    return etw_writer_new(&x, made_put, out);
}

static inline struct etw_trace *made_open(const struct buf *b, size_t len)
{
    struct etw_trace *t = NULL;

    (void)etw_trace_open_bytes(&t, (const unsigned char *)b->p, len, "made",
            NULL);
    return t;
}

/* Switches on each of so many lanes, 100 ns apart from lane to lane. */
static inline void made_switches(struct buf *out, uint32_t lanes, uint32_t each)
{
    struct etw_writer *w = made_writer(out, lanes);

    for (uint32_t i = 0; i < each; i++)
        for (uint32_t lane = 0; lane < lanes; lane++) {
            struct etw_stamp s = { lane, 7, 0, i * 1000 + lane * 100 };

            etw_write_switch(w, &s, 10 + i % 2, 11 - i % 2, 5, 0);
        }
    (void)etw_writer_end(w);
}
