/* fuzz_otlp_answer.c -- what a receiver answers, in protobuf or JSON. */
#include "push/otlp_answer.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error why = { 0 };

    (void)otlp_answer_refused((struct str){ (const char *)data, size }, &why);
    return 0;
}
