/* fuzz_program.c -- any bytes as an executable file. */
#include "os/process/program.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct program p;

    memset(&p, 0x55, sizeof(p));
    program_parse(&p, (struct str){ (const char *)data, size });
    if ((unsigned)p.kind > PROGRAM_SCRIPT || p.privileged)
        abort();
    if (!memchr(p.interpreter, 0, sizeof(p.interpreter)))
        abort();
    if (p.kind == PROGRAM_SCRIPT ? !*p.interpreter : *p.interpreter)
        abort();
    return 0;
}
