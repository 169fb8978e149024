/* webhook.h -- a JSON document to somebody's address, by HTTP POST, from a
 * thread of its own (sender.h): tried again with growing pauses, a limited
 * number waits. */
#pragma once

#include "push/sender.h"

#define WEBHOOK_SPOOL_BYTES (1u << 20)

/* `url` lives as long.  Ended by sender_stop(). */
int webhook_start(struct sender **out, const char *url, struct error *e);
