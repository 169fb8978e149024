/* sampler_table_linux.c -- what can be read on Linux, one line a source. */
#include "sample/sampler_table.h"

const struct sampler *const sampler_table[] = {
    &sampler_process,
    &sampler_process_status,
    NULL,
};
