/* guard.h -- memory that is mapped from a file which somebody else may shorten.
 *
 * Touching what is no longer there ends a process (SIGBUS).  Under guard it
 * finds zeros instead, from then on and in all of the mapping, and whoever
 * reads it asks at the end whether what it read was real:
 *
 *     struct guard *g = guard_open(memory, bytes);
 *     ... read ...
 *     if (guard_hurt(g))
 *         ... the file became shorter ...
 *     guard_close(g);                              before munmap()
 *
 * The rest of the page in which the file now ends is zeros, too; that alone
 * goes unnoticed.  Any thread; any number of mappings at the same time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct guard;

struct guard *guard_open(void *memory, size_t bytes);
bool guard_hurt(const struct guard *g);
void guard_close(struct guard *g);
