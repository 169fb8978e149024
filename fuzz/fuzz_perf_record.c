/* fuzz_perf_record.c -- records of perf, and formats of tracepoints. */
#include "sample/perf/perf_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct str rest = text;
    struct trace_field f = { 0 };
    struct perf_record r;
    uint64_t number;

    (void)trace_field_find(&f, text, "bytes");
    while (perf_record_next(&r, &rest))
        (void)trace_field_get(&number, r.raw, f);
    return 0;
}
