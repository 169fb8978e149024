/* session_options.h -- what a program set on its session options, as JSON.
 *
 * Names and values are borrowed: they stay where they are while the options,
 * or a copy of them, are there. */
#pragma once

#include "base/buf.h"

#include <stdint.h>

struct session_options;

struct session_options *session_options_new(void);
struct session_options *session_options_copy(const struct session_options *o);
void session_options_free(struct session_options *o);

/* Setting a key again replaces its value. */
void session_options_set(struct session_options *o, const char *key,
        const char *value);
void session_options_set_number(struct session_options *o, const char *key,
        int64_t value);
void session_options_provider(struct session_options *o, const char *name);

/* Into an empty buf, an array in the order of asking; the CPU's provider is
 * last, as in ONNX Runtime.  NULL: the defaults. */
void session_options_providers_json(const struct session_options *o,
        struct buf *out);
void session_options_json(const struct session_options *o, struct buf *out);
