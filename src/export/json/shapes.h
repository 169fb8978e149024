/* shapes.h -- the data models of TEZ-158: each an array of JSON objects.
 *
 * What is not known of an object is left out of it. */
#pragma once

#include "export/format.h"

/* "Enhanced Inference Event", one for each inference.  `end_to_end_ms` is the
 * call of Run() as the program sees it; the percentiles and the jitter are of
 * all inferences of the session. */
EXPORT_WRITE(shape_inference_events);

/* "Operation Metric", one for each time that an operator ran. */
EXPORT_WRITE(shape_operations);

/* "System Metric", one for each moment at which something was read. */
EXPORT_WRITE(shape_system);
