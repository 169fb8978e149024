/* rings_state.h -- what rings_linux.c and rings_steer.c share.  Not for
 * others. */
#pragma once

#include "collect/ring_folder.h"
#include "collect/rings.h"
#include "wire/ring.h"

#define NAME_BYTES 96

/* One that writes to a ring, or made one. */
struct process {
    struct ring_owner owner; /* number 0: nothing was heard of it yet */
    char *program;
    struct process *parent;
    struct watched *watched; /* NULL: in another pid namespace */
    size_t rings;            /* that it made, and that are still read */
    bool dead;
    bool told_gone;
};

struct source {
    char name[NAME_BYTES];
    struct channel_header *header;
    size_t mapped;
    struct guard *guard;
    struct ring ring;
    struct process *owner;
    struct process *writer[CHANNEL_WRITERS];
    struct process *unknown; /* all those that found no place */
    struct source *before;   /* what its owner wrote to before, or NULL */
    uint64_t waiting;        /* records to take this time */
    uint64_t taken;          /* records taken this time */
    uint64_t dropped_before;
    uint64_t first_ns; /* when the first record was seen; 0: none yet */
    uint64_t hole_ns;  /* since when it does not go on; 0: it does */
    bool stuck;
    bool lost_writer; /* one died; so a hole may stay one */
    bool damaged;
    bool over;
};

struct rings {
    struct rings_sink sink;
    char folder[RING_FOLDER_PATH];
    char preload[RING_FOLDER_PATH];
    struct source **sources; /* the older before the younger */
    size_t count;
    struct process **processes; /* all that ever were: they are pointed to */
    size_t process_count;
    uint32_t heard;
    struct unhooked *unhooked;
    size_t odd;
    size_t unnoted; /* in rings that are no more */
    uint32_t most;  /* records in a ring */
    uint64_t looked_ns, swept_ns, unhooked_ns, polled_ns;
    uint64_t pid_namespace;
    bool counts_ticks;
    struct tick_line line;
    bool paused, ops_given; /* by rings_pause() and rings_trace() */
    uint32_t ops;
};

/* A ring that is new gets what holds for all: rings_trace(), rings_pause().
 * False: it is to trace nothing, as before. */
bool rings_steer(const struct rings *r, struct source *s);
