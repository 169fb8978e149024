/* rings.h -- the rings that hooked programs leave in a folder (wire/record.h):
 * found, emptied, and cleared away.
 *
 * The folder is ours alone and lies in memory if the machine has such a place.
 * The files are written by other people's processes and are not trusted. */
#pragma once

#include "base/error.h"
#include "collect/tick_line.h"
#include "wire/record.h"

#include <stdbool.h>
#include <stddef.h>

struct rings;

/* A process that sent something. */
struct ring_owner {
    uint32_t number; /* from 1, in the order of being heard */
    uint32_t pid;    /* 0: not known, for it has forked among too many */
    uint32_t parent; /* the number of the one it forked from, or 0 */
    uint64_t start_ns;
    uint32_t hook_ns;
    const char *program;
    /* Right when it is gone. */
    uint64_t lost;
    uint64_t untimed;
    uint64_t torn;
    uint64_t cramped; /* times that there was no room for a larger ring */
};

/* Who is told.  What is pointed to is gone after the call. */
struct rings_sink {
    void *context;
    void (*came)(void *context, const struct ring_owner *o);
    /* With all times in nanoseconds of mono_ns(); but those of RECORD_LINES,
     * which lean on each other, are in ticks where there is a clock. */
    void (*record)(void *context, uint32_t owner, const struct record *r,
            const struct tick_line *clock);
    void (*gone)(void *context, const struct ring_owner *o);
};

/* Makes the folder: the named one, or, with NULL, one of our own. */
int rings_open(struct rings **out, const char *folder,
        const struct rings_sink *sink, struct error *e);

/* For ORTMETER_DIR. */
const char *rings_folder(const struct rings *r);

/* For LD_PRELOAD: a link to the hook, by a path that the loader does not take
 * apart. */
int rings_preload(struct rings *r, const char **out, const char *hook,
        struct error *e);

/* A setting for all programs that will be started: record.h. */
int rings_set(struct rings *r, const char *name, const char *value,
        struct error *e);

/* From now on, of all programs that run or will: which inferences are traced
 * (record.h: enum ops_choice), and whether they are recorded at all.  Where
 * nothing was traced so far, and a process is confined to few system calls,
 * that stays so: it might die of what tracing begins with.  Returns how many
 * such there are. */
size_t rings_trace(struct rings *r, uint32_t ops);
void rings_pause(struct rings *r, bool paused);

/* To how many records a ring may grow. */
void rings_allow(struct rings *r, uint32_t records);

/* For the setting ORTMETER_TICKS: how fast the counter of os/ticks.h runs; 0:
 * there is none to rely on here, and the records' times are to be mono_ns()'s.
 */
uint32_t rings_ticks_per_us(struct rings *r);

/* Looks for new rings now; rings_poll() does so every now and then. */
void rings_look(struct rings *r);

/* Looks for new rings and empties all.  Returns how full the fullest was, 0 to
 * 1, which tells how soon to come again. */
double rings_poll(struct rings *r);

/* Processes that sent something and are still running. */
size_t rings_alive(const struct rings *r);
void rings_each_alive(const struct rings *r,
        void (*each)(void *context, const struct ring_owner *o), void *context);

/* Processes that have just started and sent nothing yet: whether they will is
 * known in a moment. */
size_t rings_arriving(const struct rings *r);

/* Programs that a hooked process became or started, and that did not come here
 * themselves: `why` is NULL, or what the program said; `runtime` the ONNX
 * Runtime that they were seen to have loaded, or NULL. */
struct ring_unhooked {
    uint32_t pid;
    const char *program;
    const char *runtime;
    int why; /* errno: it is hooked, and has no ring; 0: it is not hooked */
    bool unannounced; /* it was started past the hook */
    uint32_t uid;
};

/* We ourselves started one, then. */
void rings_expect(struct rings *r, uint32_t pid, const char *program,
        uint64_t time_ns);

void rings_each_unhooked(struct rings *r,
        void (*each)(void *context, const struct ring_unhooked *s),
        void *context);

/* Programs that were started and may be such, but were not noted. */
size_t rings_unnoted(const struct rings *r);

/* Files that claimed to be rings, and were none of this version: removed. */
size_t rings_malformed(const struct rings *r);

/* The last time: tells of all owners that they are gone, whether they are or
 * not, and removes the folder. */
void rings_close(struct rings *r);
