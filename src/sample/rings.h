/* rings.h -- the rings that hooked programs leave in a folder (hook/record.h):
 * found, emptied, and cleared away.
 *
 * The folder is ours alone and lies in memory if the machine has such a place.
 * The files are written by other people's processes and are not trusted. */
#pragma once

#include "base/error.h"
#include "hook/record.h"

#include <stdbool.h>
#include <stddef.h>

struct rings;

/* A process that left a ring. */
struct ring_owner {
    uint32_t number; /* from 1, in the order of being found */
    uint32_t pid;
    uint32_t parent; /* the number of the one it forked from, or 0 */
    uint64_t start_ns;
    uint32_t hook_ns;
    const char *program;
    /* Right when it is gone. */
    uint64_t lost;
    uint64_t untimed;
    uint64_t torn;
};

/* Who is told.  What is pointed to is gone after the call. */
struct rings_sink {
    void *context;
    void (*came)(void *context, const struct ring_owner *o);
    /* With all times in nanoseconds of mono_ns(). */
    void (*record)(void *context, uint32_t owner, const struct record *r);
    void (*gone)(void *context, const struct ring_owner *o);
};

/* Makes the folder.  Folders of meters that died, and whose programs died too,
 * are cleared away on the way. */
int rings_open(struct rings **out, const struct rings_sink *sink,
        struct error *e);

/* For ORTMETER_DIR. */
const char *rings_folder(const struct rings *r);

/* For ORTMETER_TICKS: how fast the counter of os/ticks.h runs; 0: there is none
 * to rely on here, and the records' times are to be mono_ns()'s. */
uint32_t rings_ticks_per_us(struct rings *r);

/* Looks for new rings now; rings_poll() does so every now and then. */
void rings_look(struct rings *r);

/* Looks for new rings and empties all.  Returns how full the fullest was, 0 to
 * 1, which tells how soon to come again. */
double rings_poll(struct rings *r);

/* Processes that are still running. */
size_t rings_alive(const struct rings *r);

/* Files that claimed to be rings, and were none of this version: removed. */
size_t rings_odd(const struct rings *r);

/* Processes that had something to record and no room for it in the folder. */
size_t rings_refused(const struct rings *r);

/* The last time: tells of all owners that they are gone, whether they are or
 * not, and removes the folder. */
void rings_close(struct rings *r);
