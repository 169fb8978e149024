/* recording.h -- the run that `ortmeter demo` shows, inside the program: a
 * database with that run alone, packed by zstd.  demo/record.sh makes it. */
#pragma once

#include <stddef.h>

extern const unsigned char recording[];
extern const size_t recording_len;
