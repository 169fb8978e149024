/* ring_file.h -- the files of shared memory that records go through (record.h):
 * made here, and pointed to for as long as the process lives.
 *
 * No call here is a cancellation point, which the C library's own names of the
 * same system calls are: a thread that is being cancelled ends where the
 * program means it to. */
#pragma once

#include "wire/record.h"
#include "wire/ring.h"

#include <stdbool.h>

#define RING_FILE_PATH 512

struct ring_file {
    struct ring ring;
    struct channel_header *header;
};

/* What is told of the process in the file. */
struct ring_file_plan {
    const char *folder;
    uint32_t pid;
    uint64_t start_ns;
    uint32_t parent_pid; /* that it was forked from, or 0 */
    uint64_t parent_start_ns;
    uint32_t part;
    uint32_t records;
    bool in_ticks;
    const struct channel_header *like; /* the ring before, or NULL */
    uint32_t ops, stats;               /* of the first: as in the header */
};

/* 0, or why not: as errno.  Its memory is reserved before it is used: a full
 * file system is a refusal here, and not a SIGBUS in the program. */
int ring_file_make(struct ring_file *out, const struct ring_file_plan *p);

/* Says in the folder that this process has none. */
void ring_file_refused(const char *folder, uint32_t pid, int why);

/* Up to `cap` - 1 bytes of a file in the folder; returns how many. */
size_t ring_file_read(const char *folder, const char *name, char *to,
        size_t cap);
