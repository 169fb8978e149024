/* powermetrics_state.h -- what the files of the parser share; for
 * powermetrics*.c only. */
#pragma once

#include "base/str.h"
#include "sample/power/powermetrics.h"

#include <stdbool.h>

/* All absent; keeps the memory of the tasks. */
void powermetrics_clear(struct powermetrics_sample *s);

/* The cluster of that name, made if it is new.  NULL: there are too many. */
struct powermetrics_cluster *powermetrics_cluster(struct powermetrics_sample *s,
        struct str name);
struct powermetrics_cpu *powermetrics_cpu(struct powermetrics_sample *s);
struct powermetrics_task *powermetrics_task(struct powermetrics_sample *s);

/* One property list. */
struct plist;

struct plist *plist_new(struct powermetrics_sample *sample);
void plist_free(struct plist *l);
/* False: it is no property list.  Then the rest of it does not matter. */
bool plist_feed(struct plist *l, const char *bytes, size_t len);
/* True: it was whole, and the sample is filled.  Ready for the next one. */
bool plist_end(struct plist *l);

/* One line of the text.  True: it begins a sample; it is then not taken, and
 * is to be given again after the one before was dealt with. */
bool powermetrics_text_begins(struct str line);
void powermetrics_text_line(struct powermetrics_sample *s, struct str line);
