/* subjects.h -- what is sampled, numbered; and what could not be, with why.
 *
 * Samplers add to it when they open and when something new appears; everyone
 * else reads.  A number is given once and never again, so it stays right after
 * its process is gone.  For one thread. */
#pragma once

#include "base/compiler.h"
#include "base/error.h"
#include "model/reading.h"

#include <stddef.h>

struct subjects;

/* Subject 0 is there from the beginning: the host. */
struct subjects *subjects_new(const char *host_name);
void subjects_free(struct subjects *s);

/* Copies it.  Returns its number. */
uint32_t subjects_add(struct subjects *s, const struct subject *x);

/* Its texts live as long as the subjects. */
const struct subject *subjects_get(const struct subjects *s, uint32_t number);
size_t subjects_count(const struct subjects *s);

/* It is called something else from now on, as a process is after exec; what it
 * was called before lives on. */
void subjects_rename(struct subjects *s, uint32_t number, const char *name,
        const char *detail);
/* Which were, one after the other. */
size_t subjects_renamed_count(const struct subjects *s);
uint32_t subjects_renamed_at(const struct subjects *s, size_t i);

/* A subject will not be read again. */
void subjects_end(struct subjects *s, uint32_t number, uint64_t time_ns);
/* When that was; 0: it goes on. */
uint64_t subjects_ended_ns(const struct subjects *s, uint32_t number);

/* Says why a metric cannot be had of a subject; said again, it replaces the
 * earlier one. */
void subjects_missing(struct subjects *s, enum metric_id metric,
        uint32_t subject, const char *reason_fmt, ...) PRINTF_LIKE(4, 5);
size_t subjects_missing_count(const struct subjects *s);
const struct absence_note *subjects_missing_at(const struct subjects *s,
        size_t i);
