/* control.h -- what of a run may be changed while it goes on.
 *
 * It is asked for by JSON, in the body of POST .../control and through the
 * collector's socket (live/control_socket.h), and what holds is told likewise.
 * All that is read here comes from others, and is not trusted. */
#pragma once

#include "base/json.h"
#include "base/str.h"

#include <stdbool.h>

#define CONTROL_RATE_MAX 1000      /* Hz */
#define CONTROL_OPS_MAX  100000000 /* one inference in so many */
#define CONTROL_OPS_LEN  12        /* with the zero behind it */

/* What holds. */
struct control {
    bool paused;
    double rate_hz;            /* of sampling; 0: this run has no samplers */
    char ops[CONTROL_OPS_LEN]; /* "off", "auto", "all" or a number */
};

/* What somebody wants; without anything: only to know. */
struct control_wish {
    bool has_paused, paused;
    double rate_hz;            /* 0: as it is */
    char ops[CONTROL_OPS_LEN]; /* "": as it is */
    bool stop;                 /* the program is to end */
};

/* Whether it is a choice of inferences to trace. */
bool control_is_ops(struct str text);

/* NULL, or what is wrong with it. */
const char *control_wish_read(struct control_wish *out, struct str text);
void control_wish_json(struct json *j, const char *key,
        const struct control_wish *w);

/* Members of an object. */
void control_members(struct json *j, const struct control *c);
/* -EINVAL: it is none. */
int control_read(struct control *out, struct str text);

/* --- through the socket --------------------------------------------------- */

/* What is said to a collector, a JSON object each: {"subscribe":true}, who is
 * then told when something is new; {"control":{...}}, a wish, which is answered
 * by {"control":{...}}, what holds then, or {"error":"a sentence"}.  What it
 * says by itself is {"new":true}. */
enum control_message {
    CONTROL_NONE, /* it is none of those */
    CONTROL_SUBSCRIBE,
    CONTROL_WISH,  /* or, from the collector, what holds */
    CONTROL_ERROR, /* from the collector */
    CONTROL_NEW,   /* likewise */
};

/* Which it is; `content` is what stands behind its name. */
enum control_message control_message_read(struct str *content, struct str text);
