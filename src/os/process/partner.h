/* partner.h -- another process of our own program that answers questions: it
 * reads them from its standard input and writes answers to its output. */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct partner;

/* Starts argv[0] with one more variable in its environment.  What it prints to
 * stderr goes to ours.  It is told to end when we do. */
int partner_start(struct partner **out, char *const *argv, const char *variable,
        const char *value, struct error *e);

/* All of it, or -EPIPE: it has ended. */
int partner_write(struct partner *p, const void *bytes, size_t len);
int partner_read(struct partner *p, void *bytes, size_t len);

/* Lets it see the end of the questions, waits, and frees.  `peak_rss_bytes` may
 * be NULL; 0: not known. */
void partner_end(struct partner *p, uint64_t *peak_rss_bytes);

/* Keeps this process on one of the processors that it may run on, the last one:
 * the first has most of the system's own work.  -ENOTSUP: it cannot be done. */
int partner_pin(void);

/* Like partner_write() and partner_read(), from the other side: our own
 * standard streams. */
int partner_answer(const void *bytes, size_t len);
int partner_question(void *bytes, size_t len);
