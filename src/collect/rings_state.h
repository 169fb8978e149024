/* rings_state.h -- what the files of the rings share.  Not for others. */
#pragma once

#include "collect/ring_folder.h"
#include "collect/rings.h"
#include "collect/unhooked.h"
#include "os/guard.h"
#include "os/process/child.h"
#include "wire/ring.h"

#define RING_NAME_BYTES 96

/* One that writes to a ring, or made one. */
struct ring_process {
    struct ring_owner owner; /* number 0: nothing was heard of it yet */
    char *program;
    struct ring_process *parent;
    struct watched *watched; /* NULL: in another pid namespace */
    size_t rings;            /* that it made, and that are still read */
    bool dead;
    bool told_gone;
};

struct ring_source {
    char name[RING_NAME_BYTES];
    struct channel_header *header;
    size_t mapped;
    struct guard *guard;
    struct ring ring;
    struct ring_process *owner;
    struct ring_process *writer[CHANNEL_WRITERS];
    struct ring_process *unknown; /* all those that found no place */
    struct ring_source *before;   /* what its owner wrote to before, or NULL */
    uint64_t waiting;             /* records to take this time */
    uint64_t taken;               /* records taken this time */
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
    int dir; /* the same, opened */
    char preload[RING_FOLDER_PATH];
    struct ring_source **sources; /* the older before the younger */
    size_t count;
    /* All that ever were: they are pointed to. */
    struct ring_process **processes;
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

/* --- rings_steer.c: what the collector asks of the hook --------------------
 */

/* A ring that is new gets what holds for all: rings_trace(), rings_pause().
 * False: it is to trace nothing, as before. */
bool rings_steer(const struct rings *r, struct ring_source *s);

/* --- ring_processes.c: who writes ----------------------------------------- */

/* `owner` is copied; `program` is a command line, and is masked. */
struct ring_process *ring_process_add(struct rings *r,
        const struct ring_owner *owner, const char *program,
        struct ring_process *parent);
/* NULL: nobody knows it. */
struct ring_process *ring_process_find(const struct rings *r, uint32_t pid,
        uint64_t start_ns);
/* It has something to say: it gets its number, and the sink is told. */
void ring_process_hear(struct rings *r, struct ring_process *p);
bool ring_process_is_dead(struct ring_process *p);
/* Unless rings that it made are still read. */
void ring_process_tell_gone(struct rings *r, struct ring_process *p);

/* --- ring_source_linux.c: one ring ---------------------------------------- */

/* Of a file in the folder; NULL: it is no ring. */
struct ring_source *ring_source_open(struct rings *r, const char *name);
/* Takes the file away, and tells of those who are gone with it.  It is `over`
 * then, and may be freed. */
void ring_source_close(struct rings *r, struct ring_source *s);

/* At most that many: others wait too. */
void ring_source_take(struct rings *r, struct ring_source *s, uint64_t most);
/* What those left behind who are gone, with the holes in it. */
void ring_source_take_for_good(struct rings *r, struct ring_source *s);

/* One of its writers may have died in the middle of a record, and the others go
 * on: then it is passed over in time. */
void ring_source_mind_holes(struct ring_source *s, uint64_t now_ns);
/* Gives leave to make a larger one, where it fills and there is room.  The
 * leave is for now: whoever confines itself later does not find it. */
void ring_source_mind_room(struct rings *r, struct ring_source *s, double full,
        uint64_t passed_ns);

/* Frees the places of those who are gone. */
void ring_source_sweep(struct rings *r, struct ring_source *s);
/* Whether nobody will write to it any more. */
bool ring_source_is_over(struct rings *r, struct ring_source *s);
