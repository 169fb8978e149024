/* events.h -- what happens to a process, one by one: its threads come to
 * a CPU and leave it, touch memory that is not there, ask for storage.
 *
 * Each event costs the process about a microsecond, so it is for seconds and
 * not for days.  Threads that it has and those that it starts later are
 * included; of those, one that starts while we open may be missed.  Whoever
 * reads too late loses events, which are counted.  For one thread. */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum event_kind {
    EVENT_SWITCHED_IN,   /* a thread got a CPU */
    EVENT_WAITED,        /* it gave it up, to wait for something */
    EVENT_PREEMPTED,     /* it was taken off, though it had work to do */
    EVENT_PAGE_FAULT,    /* `value`: the address */
    EVENT_STORAGE_ASKED, /* `value`: the bytes */
    EVENT_KINDS
};

/* What is wanted, added up. */
enum {
    EVENTS_SWITCHES = 1,
    EVENTS_FAULTS = 2,
    EVENTS_STORAGE = 4 /* needs tracefs and root */
};

struct event {
    uint64_t time_ns; /* of mono_ns() */
    uint64_t value;
    enum event_kind kind;
    uint32_t pid, tid, cpu;
};

struct events;

/* `root` is where /sys/kernel/tracing is looked for, usually "".  -EACCES,
 * -ENODEV: the kernel does not give them to us; `e` says why.  -ESRCH: there
 * is no such process. */
int events_open(struct events **out, const char *root, uint64_t pid,
        unsigned wanted, struct error *e);
void events_close(struct events *s);

/* Hands over at most `cap` events, of each CPU in the order of time.  Returns
 * how many; 0: there are none now. */
size_t events_read(struct events *s, struct event *out, size_t cap);

/* Events that found no room; told with the next that does, on the same CPU. */
uint64_t events_lost(const struct events *s);

/* "switched_in", "page_fault": for exports. */
const char *event_kind_name(enum event_kind kind);
