/* proc_cpus.h -- /proc/stat: what the CPUs did since the machine started. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* In clock ticks. */
struct proc_cpu {
    bool all; /* the sum of them */
    uint64_t number;
    uint64_t user, nice, system, idle, io_wait, interrupt, soft_interrupt;
    uint64_t stolen;
};

/* Takes the next CPU off `rest`.  False: there are no more. */
bool proc_cpus_next(struct proc_cpu *out, struct str *rest);

/* The number behind a word at the beginning of a line, such as "ctxt".
 * -EINVAL: there is none. */
int proc_cpus_number(uint64_t *out, struct str text, const char *word);
