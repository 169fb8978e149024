/* secret.h -- memory for keys: not swapped out, and in no core dump, as far as
 * the system lets us. */
#pragma once

#include <stddef.h>

/* Zeroed.  NULL: there is no memory. */
void *secret_new(size_t len);

/* Wipes it.  NULL is welcome. */
void secret_free(void *secret, size_t len);
