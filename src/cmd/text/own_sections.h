/* own_sections.h -- tells the meter what we are doing, where we run under it:
 * calls of ortmeter.h in the library that the meter put into us. */
#pragma once

#include "ortmeter.h"

#include <stdbool.h>

struct own_sections {
    struct ortmeter_section (
            *begin)(enum ortmeter_phase phase, const char *name);
    void (*end)(struct ortmeter_section *section);
    void (*token)(uint32_t index, int64_t id, const char *text,
            uint64_t duration_ns, double probability);
    void (*mark)(const char *text);
    void (*look_again)(int on);
};

/* Without the library, telling does nothing. */
void own_sections_open(struct own_sections *t);

/* `name` is there until the section's end. */
struct ortmeter_section own_sections_begin(const struct own_sections *t,
        const char *name);
struct ortmeter_section own_sections_begin_phase(const struct own_sections *t,
        enum ortmeter_phase phase, const char *name);
void own_sections_end(const struct own_sections *t,
        struct ortmeter_section *section);

/* A token was made: see ortmeter_token_chosen(). */
void own_sections_token(const struct own_sections *t, uint32_t index,
        int64_t id, const char *text, uint64_t duration_ns, double probability);

/* See ortmeter_mark() and ortmeter_look_again(). */
void own_sections_mark(const struct own_sections *t, const char *text);
void own_sections_look_again(const struct own_sections *t, bool on);
