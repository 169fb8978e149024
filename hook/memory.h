/* memory.h -- memory of our own, and memory of others.
 *
 * Nothing is taken from the program's allocator.  What lies at an address that
 * was found in somebody's object is asked for before it is read: a wrong guess
 * must not end the program. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed pages; NULL: there are none. */
void *memory_pages(size_t bytes);
void memory_give_back(void *pages, size_t bytes);
/* What is in there is not wanted any more, in no process: it becomes zeros. */
void memory_forget(void *pages, size_t bytes);

/* Can all of it be read? */
bool memory_readable(const void *at, size_t bytes);

/* Is there such a thread in this process? */
bool thread_exists(uint32_t id);
