/* remote_write.h -- metrics to Prometheus, or to what speaks its remote write
 * 1.0: protobuf in Snappy. */
#pragma once

#include "export/metrics/run_metrics.h"
#include "push/sender.h"

/* Adds a WriteRequest, not compressed: a sample for each figure, and several
 * for a histogram, as in Prometheus's text.  `now_ms` is Unix time, for figures
 * without a time of their own.  Returns how many samples there are. */
uint64_t remote_write_request(struct buf *out,
        const struct run_metrics_about *about, const struct figure_list *list,
        int64_t now_ms);

struct remote_write;

/* `url` is whole: http://HOST:8428/api/v1/write.  It lives as long. */
int remote_write_start(struct remote_write **out, const char *url,
        struct error *e);

/* Does not wait. */
void remote_write_push(struct remote_write *w,
        const struct run_metrics_about *about, const struct figure_list *list,
        uint64_t now_wall_ns);

/* No more comes.  NULL is welcome, as below. */
void remote_write_finish(struct remote_write *w);

/* Sends what waits, within SENDER_DRAIN_MS of the end, and frees. */
void remote_write_stop(struct remote_write *w, struct sender_outcome *out);
