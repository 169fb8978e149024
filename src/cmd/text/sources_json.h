/* sources_json.h -- what is sampled, how often, and what is missing and why:
 * the same words in `doctor` and in `watch`. */
#pragma once

#include "base/json.h"
#include "sample/sampling.h"

/* "samplers": each with its rate in force, its true rate, the age of its last
 * figures and what it cost; or the reason why it is not read.  `now_ns` is of
 * mono_ns(). */
void sources_json_samplers(struct json *j, const struct sampling *s,
        uint64_t now_ns);

/* "missing": metrics that cannot be had, with their reasons, once for each
 * kind of subject; then samplers that have nothing to read. */
void sources_json_missing(struct json *j, struct sampling *s);

/* Only the members of that list, for who has more to say in it. */
void sources_json_absences(struct json *j, struct sampling *s);

/* "rate_changes" from number `first` on; nothing where there are none. */
void sources_json_changes(struct json *j, const struct sampling *s,
        size_t first, uint64_t mono_to_wall_ns);
