/* thread_name.h -- what a thread of some process calls itself. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False: it is gone, or is not ours to look at. */
bool thread_name(char *out, size_t cap, uint32_t pid, uint32_t thread);
