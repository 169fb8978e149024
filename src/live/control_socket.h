/* control_socket.h -- the socket that a collector listens at while its run goes
 * on (os/local.h), under the run's id: who asks there is told what can be
 * changed and changes it (controls.h), and who subscribes is told when
 * something new is in the database.
 *
 * A thread of its own speaks with them; the one that meters only tells. */
#pragma once

#include "live/controls.h"

struct control_socket;

/* `controls` outlives it. */
int control_socket_open(struct control_socket **out, const char *run_id,
        struct controls *controls, struct error *e);
/* NULL is welcome, here and below. */
void control_socket_close(struct control_socket *s);

/* Whether somebody wants to be told. */
bool control_socket_is_heard(struct control_socket *s);
/* Something new was committed, or at least: we are well. */
void control_socket_tell(struct control_socket *s);
