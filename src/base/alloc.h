/* alloc.h -- memory in our own process: there, or we stop.  Never in the hook.
 */
#pragma once

#include <stddef.h>

/* Zeroed.  Prints one line and aborts when there is no memory. */
void *alloc_zero(size_t count, size_t size);

/* realloc() that never fails; what is beyond the old size is not zeroed. */
void *alloc_resize(void *p, size_t size);

/* A copy of the text, for free(). */
char *alloc_text(const char *terminated);
