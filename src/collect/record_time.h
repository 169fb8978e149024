/* record_time.h -- the times in a record, as nanoseconds of mono_ns(). */
#pragma once

#include "collect/tick_line.h"
#include "wire/record.h"

/* Ticks into what mono_ns() said then. */
void record_in_ns(const struct tick_line *l, struct record *r);
