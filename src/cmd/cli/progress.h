/* progress.h -- a bar on stderr while something takes its time; nothing at all
 * where no person watches. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool shown;       /* whether there is somebody to show it to */
    bool drawn;       /* whether there is something to wipe away */
    uint64_t next_ns; /* when to draw again, of mono_ns() */
    const char *what; /* what is being done, in a word or two */
};

/* `quiet`: nobody wants to see it. */
void progress_open(struct progress *p, bool quiet);

/* What comes now. */
void progress_begin(struct progress *p, const char *what);

/* So much of it is done, 0 to 1.  Costs next to nothing until it is time to
 * draw again. */
void progress_show(struct progress *p, uint64_t now_ns, double share);

/* So many bytes are written, of nobody knows how many.  As cheap. */
void progress_bytes(struct progress *p, uint64_t now_ns, uint64_t bytes);

/* Wipes the bar away. */
void progress_close(struct progress *p);
