/* event.h -- a record of any kind as people know it: the provider's and the
 * event's name, and its fields. */
#pragma once

#include "base/json.h"
#include "etw/record.h"
#include "etw/trace.h"

/* Providers that we know by name. */
extern const struct guid etw_ort_provider; /* Microsoft.ML.ONNXRuntime */
extern const struct guid etw_ort_logging;  /* its log messages */
extern const struct guid etw_own_provider; /* what our writer writes */
#define ETW_OWN_PROVIDER "Ortmeter"

/* NULL: it is not among them. */
const char *etw_provider_name(const unsigned char *guid);

/* The provider by that name, or by its GUID written out.  False: neither. */
bool etw_provider_find(struct guid *out, const char *text);

/* Adds the provider's name, or its GUID where that is not known. */
void etw_event_provider(struct buf *out, const struct etw_record *r);

/* Adds the event's name: "Process/Start", "EvaluationStart", or its number. */
void etw_event_name(struct buf *out, const struct etw_record *r);

/* Writes the fields as members of an object.  False: nothing is known of them,
 * and nothing was written. */
bool etw_event_fields(struct json *j, const struct etw_record *r);

/* Writes the whole record as one object. */
void etw_event_json(struct json *j, const struct etw_record *r,
        const struct etw_info *info);
