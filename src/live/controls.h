/* controls.h -- wishes for a run that goes on (model/control.h), from any
 * thread to the one that meters, which carries them out between two looks at
 * the rings and says what holds then. */
#pragma once

#include "base/error.h"
#include "model/control.h"

#include <stdint.h>

struct controls;

/* `may_stop`: whether the program may be ended by a wish. */
struct controls *controls_new(const struct control *now, bool may_stop);
/* NULL is welcome. */
void controls_free(struct controls *c);

/* Any thread: waits until it is done.  -ETIMEDOUT: it was not done in time, and
 * will not be.  -EINVAL: this run cannot do that, for the reason given.
 * -ESRCH: the run has ended. */
int controls_ask(struct controls *c, const struct control_wish *w,
        uint64_t timeout_ns, struct control *out, struct error *e);

/* The thread that meters.  True: this is wanted; controls_done() is next. */
bool controls_take(struct controls *c, struct control_wish *out,
        struct control *now);
void controls_done(struct controls *c, const struct control *now);
/* The run has ended: nobody waits any longer. */
void controls_end(struct controls *c);
