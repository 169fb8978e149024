/* scan.h -- the regular expressions that published tokenizers split text by,
 * each as a scanner of its own: many times faster than an engine, and exact.
 *
 * Pure. */
#pragma once

#include "base/str.h"

#include <stdbool.h>

/* The length of the match that begins at `at`, which is before the end and at
 * the beginning of a character; 0: none begins there. */
typedef size_t scan_fn(struct str text, size_t at);

/* NULL: none of ours does what this regular expression says. */
scan_fn *scan_for(struct str expression);

/* What ByteLevel splits by. */
scan_fn scan_gpt2;
