/* lws_request.h -- what came, out of libwebsockets' hands: a request of our
 * own, which outlives the connection.  For lws_service.c. */
#pragma once

#include "serve/state.h"

struct lws;

/* Who is at the other end, in `room`; IPv4 addresses as such. */
const char *lws_request_peer(struct lws *wsi, char *room, size_t size);

/* job_free() frees it. */
struct job *lws_request_read(struct lws *wsi, bool upgrade);

/* Whether a path ends with %00, or nobody can tell, since the request has no
 * version and nothing was ever written behind its path.  The library lets it
 * end the path and does not count it; but it lies in its buffer, before the
 * arguments or the version, which have a zero before them in any case. */
bool lws_request_has_zero(struct lws *wsi, const char *path, size_t len);
