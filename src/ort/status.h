/* status.h -- how a call of ONNX Runtime ended, in our terms. */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "wire/ort_api.h"

/* Takes the status.  0 where it is NULL; else a negative errno value, and ONNX
 * Runtime's own words on one line. */
int status_fail(const struct ort_api *api, struct ort_status *take,
        struct error *e);

/* The same, with all the words added to `out` instead of the first 255. */
int status_text(struct buf *out, const struct ort_api *api,
        struct ort_status *take);

/* Takes a status that nobody can do anything about. */
void status_drop(const struct ort_api *api, struct ort_status *take);
