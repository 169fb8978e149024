/* stacks.h -- joins the stacks of a trace with the events they belong to.
 *
 * Windows writes a stack after its event, as a record of its own that names the
 * event's time and thread: the kernel's half at once, the program's half when
 * the thread goes back to it, which may be much later.  Either has the
 * addresses themselves or a key, whose addresses come when Windows forgets the
 * key or the trace ends.
 *
 * Equal stacks of a process are counted together, so memory depends on how many
 * different ones there are, up to a limit.  Bytes that nobody vouches for. */
#pragma once

#include "etw/record.h"

struct etw_stacks;

struct etw_stacks *etw_stacks_new(void);

/* Whose stack belongs to the record: the thread that was sampled, or that goes
 * on after a switch, or that is in the header.  ETW_NO_ID: nobody's. */
uint32_t etw_stack_thread(const struct etw_record *r);

/* The stack of this record is wanted.  `pid` is whose it is, or ETW_NO_ID. */
void etw_stacks_await(struct etw_stacks *s, const struct etw_record *r,
        uint32_t pid);

/* Any record, in the order of their times, after etw_stacks_await(). */
void etw_stacks_take(struct etw_stacks *s, const struct etw_record *r);

/* No more records come. */
void etw_stacks_end(struct etw_stacks *s);

/* Each event that was awaited is in one of the first four. */
struct etw_stacks_tally {
    uint64_t joined;
    uint64_t bare;     /* no stack came */
    uint64_t unsolved; /* a key came, and its addresses never */
    uint64_t dropped;  /* there were too many different stacks */
    uint64_t others;   /* halves of stacks whose event was not awaited */
};

const struct etw_stacks_tally *etw_stacks_tally(const struct etw_stacks *s);

/* Addresses, the innermost first; the kernel's half lies within the program's.
 * A half that did not come has none. */
struct etw_stack {
    uint32_t pid;
    uint64_t count; /* of events */
    const uint64_t *kernel, *user;
    size_t kernel_count, user_count;
};

/* After the end.  Valid as long as `s` is. */
size_t etw_stacks_count(const struct etw_stacks *s);
struct etw_stack etw_stacks_at(const struct etw_stacks *s, size_t at);

/* NULL is welcome. */
void etw_stacks_free(struct etw_stacks *s);
