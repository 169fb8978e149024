/* tables.h -- a library's tables of functions as they were before the hook
 * came, and as they are with it: to have inferences in either, in one process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct tables;

/* As they are now in the library that this address lies in; NULL: there is no
 * such library, or no memory. */
struct tables *tables_remember(const void *address);

/* Finds what has changed since.  Returns how many words that are; -1: their
 * memory stays shut. */
int tables_compare(struct tables *t);

/* Puts there what was before, or what came. */
void tables_put(const struct tables *t, bool as_before);

void tables_free(struct tables *t);
