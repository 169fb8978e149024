/* watch_push.h -- what `watch` sees, sent on while it looks: the newest figures
 * of all that is there at each push. */
#pragma once

#include "cmd/push_options.h"
#include "cmd/watching.h"

struct watch_push;

/* `out` is NULL where there is nobody to push to.  `argv` is the program that
 * was started, or NULL. */
int watch_push_open(struct watch_push **out, const struct push_settings *s,
        const struct watching *w, char *const *argv, struct error *e);

/* Pushes, if it is time.  Never waits.  NULL is welcome, as below. */
void watch_push_tick(struct watch_push *p, uint64_t now_ns);

/* The last figures; waits for the receivers for some seconds at most, and adds
 * what did not get there to `told`. */
void watch_push_close(struct watch_push *p, struct buf *told);
