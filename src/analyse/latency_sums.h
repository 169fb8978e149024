/* latency_sums.h -- the latencies of a run in stretches of a second, a minute
 * and an hour, kept while the run goes on: so that whoever looks at a day of it
 * need not read its inferences (store.h: latency_sums). */
#pragma once

#include "model/subscriber.h"
#include "store/store.h"

struct latency_sums;

/* Adds rows to the run that is being written. */
struct latency_sums *latency_sums_new(struct store *s);
void latency_sums_free(struct latency_sums *l);

/* Gets `inference`; and `session_end`, `tick` and `end`, when it has something
 * to write: so it comes before who commits it. */
struct subscriber latency_sums_subscriber(struct latency_sums *l);
