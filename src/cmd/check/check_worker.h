/* check_worker.h -- a fresh process that runs one side's model when it is told
 * to, and says how long each inference took. */
#pragma once

#include "cmd/check/check_settings.h"
#include "os/process/partner.h"

#define CHECK_WORDS 256

/* Its first answer. */
struct check_hello {
    uint64_t typical_ns; /* of an inference, warm; 0: it failed */
    char why[CHECK_WORDS];
};

/* What it is asked; the answer is `count` durations of 64 bits, or as many
 * zeros where an inference failed. */
struct check_question {
    uint64_t count;
};

/* In that process.  Returns what to exit with. */
int check_worker(const struct check_settings *s, int side);
