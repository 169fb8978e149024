/* backoff.h -- how long to wait before trying again. */
#pragma once

#include <stdint.h>

#define BACKOFF_LEAST_MS 250
#define BACKOFF_MOST_MS  30000
#define BACKOFF_ASKED_MS 300000

/* After `failures` failures in a row (from 1): twice as long each time, up to
 * BACKOFF_MOST_MS, shortened by up to a half by `chance` (0 to 1), so that not
 * all who failed come back at once.  A receiver that asked for a longer pause
 * (`asked_ms`) gets it, up to BACKOFF_ASKED_MS. */
uint64_t backoff_ms(unsigned failures, uint64_t asked_ms, double chance);
