/* watch_events.h -- what happens to the processes that `watch` looks at, event
 * by event: switches, page faults, requests to storage.
 *
 * A process is followed from when it is found.  What the kernel does not give
 * is missing, with its reason, and not counted. */
#pragma once

#include "base/json.h"
#include "cmd/text/page.h"
#include "cmd/watch/watching.h"

struct watch_events;

/* `w` outlives it.  Processes that are known already are followed at once. */
struct watch_events *watch_events_new(const struct watching *w);
void watch_events_free(struct watch_events *s);

/* Follows processes that are new, and takes what has happened since.  Each
 * event becomes a line of JSON in `lines`, unless that is NULL: those of a CPU
 * in the order of time. */
void watch_events_step(struct watch_events *s, struct buf *lines);

/* "events": how many of each kind, for each process, and how many were lost. */
void watch_events_json(struct json *j, const struct watch_events *s);

/* The members of "missing": each reason once. */
void watch_events_missing_json(struct json *j, const struct watch_events *s);

/* The same for people: a line of a process, by its subject; and the reasons,
 * below `label` if it is the first line of them. */
void watch_events_text(const struct page *p, const struct watch_events *s,
        uint32_t subject);
void watch_events_missing_text(const struct page *p,
        const struct watch_events *s, const char *label);
