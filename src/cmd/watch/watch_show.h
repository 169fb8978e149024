/* watch_show.h -- what `ortmeter watch` writes: lines of JSON, or tables. */
#pragma once

#include "base/json.h"
#include "cmd/watch/watch_events.h"
#include "cmd/watch/watching.h"

struct watch_view {
    const struct watching *watching;
    const struct watch_events *events; /* NULL: nobody asked */
    struct option_texts metrics; /* globs: only these figures; none: all */
    size_t changes_told;         /* changes of rates that were written */
    bool first, last;            /* the first line says what is missing; the
                                  * last one sums up */
    bool full;                   /* also figures that are not of this tick */
    bool colours;
};

/* One line of JSON: what is known at `now_ns`, of mono_ns(). */
void watch_json(struct buf *out, const struct watch_view *v, uint64_t now_ns);

/* A table of the processes and what else there is. */
void watch_table(struct buf *out, const struct watch_view *v, uint64_t now_ns);

/* "missing": what cannot be had, and why. */
void watch_missing_json(struct json *j, const struct watch_view *v);

/* What to say at the end, for people. */
void watch_summary_text(struct buf *out, const struct watch_view *v,
        uint64_t now_ns);

/* The same, as the members of "summary". */
void watch_summary_json(struct json *j, const struct watch_view *v,
        uint64_t now_ns);
