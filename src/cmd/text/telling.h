/* telling.h -- tells the meter what we are doing, where we run under it: calls
 * of ortmeter.h in the library that the meter put into us. */
#pragma once

#include "ortmeter.h"

struct telling {
    struct ortmeter_section (
            *begin)(enum ortmeter_phase phase, const char *name);
    void (*end)(struct ortmeter_section *section);
    void (*token)(uint32_t index, int64_t id, const char *text);
};

/* Without the library, telling does nothing. */
void telling_open(struct telling *t);

/* `name` is there until the section's end. */
struct ortmeter_section telling_begin(const struct telling *t,
        const char *name);
struct ortmeter_section telling_begin_phase(const struct telling *t,
        enum ortmeter_phase phase, const char *name);
void telling_end(const struct telling *t, struct ortmeter_section *section);

/* A token was made: see ortmeter_token(). */
void telling_token(const struct telling *t, uint32_t index, int64_t id,
        const char *text);
