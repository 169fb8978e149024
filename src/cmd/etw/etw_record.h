/* etw_record.h -- what Windows reports now, as JSON lines.
 *
 * Knows neither files nor Windows: where lines go is the caller's, and what
 * Windows does is behind etw/live/live.h. */
#pragma once

#include "cmd/etw/etw_views.h"
#include "etw/live/live.h"

/* Whether the settings make sense: -EINVAL names what does not. */
int etw_record_check(const struct etw_settings *s, struct error *e);

/* Takes lines; false: writing on is in vain. */
typedef bool etw_record_put(void *to, struct str lines);

/* Records until it is interrupted, the time is over, or there are as many as
 * were asked for; then adds to `said` what was passed over and lost.
 * -ENOTSUP: there is no event tracing here (`api` NULL).  -EACCES: the rights
 * are missing. */
int etw_record(const struct etw_settings *s, const struct etw_live_api *api,
        etw_record_put *put, void *to, struct buf *said, struct error *e);

/* This system's: stops the session when a person asks for it (Ctrl-C), or after
 * so many seconds (0: never).  One session at a time. */
void etw_record_watch(struct etw_live *l, double seconds);
/* Does not stop it any more, from when this returns. */
void etw_record_unwatch(void);
