/* fuzz_proc_cmdline.c -- any command line is shown in one line, and what
 * follows "--password=" is not. */
#include "base/command/proc_cmdline.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char option[] = "--password=";
    struct buf bytes = { 0 }, shown = { 0 };

    proc_cmdline_text(&shown, (struct str){ (const char *)data, size });
    for (size_t i = 0; i < shown.len; i++)
        if ((unsigned char)shown.p[i] < ' ')
            __builtin_trap();
    buf_clear(&shown);

    /* One argument, whatever it is, behind the option. */
    if (size && data[0] && !memchr(data, 0, size)) {
        buf_add(&bytes, "app", 4);
        buf_text(&bytes, option);
        buf_add(&bytes, data, size);
        proc_cmdline_text(&shown, buf_str(&bytes));
        if (strcmp(buf_cstr(&shown), "app --password=***") != 0 &&
                strcmp(buf_cstr(&shown), "app '--password=***'") != 0)
            __builtin_trap();
    }
    buf_release(&bytes);
    buf_release(&shown);
    return 0;
}
