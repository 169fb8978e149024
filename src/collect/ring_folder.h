/* ring_folder.h -- the folder that the collector and hooked programs share
 * (wire/record.h): made before a program starts, cleared away after it. */
#pragma once

#include "base/error.h"
#include "os/path.h"
#include "wire/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RING_FOLDER_PATH 512

/* Makes it: `named`, which is absolute and was not there or is empty; or, with
 * NULL, in memory if the machine has such a place with room.  Folders of
 * meters that died, and whose programs died too, are cleared away on the way.
 * Others may pass through it to what they know the name of, and not look. */
int ring_folder_make(char out[RING_FOLDER_PATH], const char *named,
        struct error *e);

/* For openat() and unlinkat(): the folder itself, whatever a program puts in
 * its place later, and never what a link leads to, whose files are not ours.
 * -1: there is none of ours. */
int ring_folder_open(const char *folder);

/* Locks what ring_folder_open() gave, until that is closed: nobody clears the
 * folder away.  false: somebody else holds it, or there is none. */
bool ring_folder_hold(int dir);

/* Puts the link there that LD_PRELOAD is to name; `path` gets its place. */
int ring_folder_link(const char *folder, const char *hook,
        char path[RING_FOLDER_PATH], struct error *e);

/* A line of the settings; before a program starts. */
int ring_folder_set(const char *folder, const char *name, const char *value,
        struct error *e);

/* The names of all files there, older rings before younger ones; none, if it
 * cannot be read.  For folder_release(). */
void ring_folder_list(struct folder *out, const char *folder);

/* Who has no ring.  What is pointed to is gone after the call. */
void ring_folder_refusals(const char *folder,
        void (*each)(void *context, const struct channel_refusal *r),
        void *context);

/* Bytes that files may still take there; 0: not told. */
uint64_t ring_folder_free_bytes(const char *folder);

/* Removes it.  While the processes `alive` run, the link stays, so that what
 * they start does not miss it; the next ring_folder_make() removes it. */
void ring_folder_remove(const char *folder, const uint32_t *alive,
        size_t count);

/* "<number>-...": the process that a file or folder belongs to; 0: none. */
uint32_t ring_folder_pid(const char *name);
