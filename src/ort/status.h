/* status.h -- how a call of ONNX Runtime ended, in our terms. */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "wire/ort_api.h"

/* Takes the status.  0 where it is NULL; else a negative errno value, and what
 * status_gist() makes of ONNX Runtime's words. */
int status_fail(const struct ort_api *api, struct ort_status *take,
        struct error *e);

/* The same, with all the words added to `out`, on one line. */
int status_text(struct buf *out, const struct ort_api *api,
        struct ort_status *take);

/* What is wrong, of a message of ONNX Runtime's: without the file, which the
 * caller names, the place in ONNX Runtime's source and the node's many inputs;
 * of what is still too long, the beginning and the end. */
void status_gist(struct buf *out, const char *message);

/* Takes a status that nobody can do anything about. */
void status_drop(const struct ort_api *api, struct ort_status *take);
