/* lws_service.h -- the part of the server that speaks with clients, by
 * libwebsockets.  All callbacks are called by the service thread; others only
 * wake it. */
#pragma once

#include "serve/state.h"

/* Listens.  -EADDRINUSE: the port is taken. */
int lws_service_open(struct server *s, uint16_t port, struct error *e);
void lws_service_close(struct server *s);

/* The thread: until server.ends. */
void lws_service_run(void *to); /* a struct server */

/* Any thread: answers are there, or there is something to tell. */
void lws_service_wake(struct server *s);

/* Hands a request to the workers (server.c). */
void server_give(struct server *s, struct job *j);
/* Any thread: its answer is there. */
void server_answered(struct server *s, struct job *j);
void job_free(struct job *j);
