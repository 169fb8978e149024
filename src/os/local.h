/* local.h -- messages between processes of one user on this machine, through
 * sockets in a folder that is his alone: $XDG_RUNTIME_DIR/ortmeter, or else
 * /tmp/ortmeter-<his number>.
 *
 * A message arrives whole or not at all.  Nobody waits for who does not read.
 * Whoever listens does so under a name, by which others find it; a name that
 * nobody listens to any more is removed by who notices. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOCAL_MESSAGE_MAX 4096
#define LOCAL_NAME_MAX    64

/* --- who listens ---------------------------------------------------------- */

struct local_hub;

/* -EPERM: the folder is somebody else's, or open to others. */
int local_hub_open(struct local_hub **out, const char *name, struct error *e);
/* The name goes first.  NULL is welcome. */
void local_hub_close(struct local_hub *h);

/* Waits for the next message, of anybody who is still there.  Its length, and
 * whose it is; or -ECANCELED: local_hub_wake().  For one thread. */
int local_hub_take(struct local_hub *h, char out[LOCAL_MESSAGE_MAX],
        uint64_t *from);
void local_hub_wake(struct local_hub *h);

/* To one of them.  Any thread, as what follows. */
void local_hub_answer(struct local_hub *h, uint64_t to, const char *message,
        size_t len);
/* From now on it gets what all get. */
void local_hub_subscribe(struct local_hub *h, uint64_t who);
bool local_hub_has_subscribers(struct local_hub *h);
/* To all who subscribed.  One who is behind by many misses it. */
void local_hub_tell(struct local_hub *h, const char *message, size_t len);

/* --- who asks ------------------------------------------------------------- */

/* Says something to the one of that name, and waits for what it says to that.
 * Its length; -ENOENT: nobody listens; -ETIMEDOUT. */
int local_ask(const char *name, const char *message, size_t len,
        char out[LOCAL_MESSAGE_MAX], uint64_t until_mono_ns);

/* Connections to some that listen.  For one thread. */
struct local_links;

struct local_links *local_links_new(void);
void local_links_free(struct local_links *l); /* NULL is welcome */

/* To one more, unless there is a connection already, and says something to
 * it.  False: nobody listens there. */
bool local_links_add(struct local_links *l, const char *name,
        const char *greeting, size_t len);

void local_links_drop(struct local_links *l); /* all */

/* Waits for a message of any of them, until that moment.  Its length, and whose
 * it is; -EPIPE: that one is gone; -ETIMEDOUT. */
int local_links_take(struct local_links *l, char out[LOCAL_MESSAGE_MAX],
        char name[LOCAL_NAME_MAX], uint64_t until_mono_ns);
