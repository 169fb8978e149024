/* proc_pressure.c -- see Documentation/accounting/psi.rst:
 *
 *     some avg10=0.00 avg60=0.00 avg300=0.00 total=7361
 *     full avg10=0.00 avg60=0.00 avg300=0.00 total=0 */
#include "sample/machine/proc_pressure.h"

#include <errno.h>
#include <string.h>

static bool read_total(uint64_t *out, struct str line)
{
    for (struct str w = str_word(&line); w.len; w = str_word(&line))
        if (str_starts(w, "total="))
            return str_u64(out, str_after(w, '=')) == 0;
    return false;
}

int proc_pressure_parse(struct proc_pressure *out, struct str text)
{
    struct proc_pressure p = { 0 };
    struct str line;

    while (text.len && memchr(text.p, '\n', text.len) &&
            str_line(&line, &text)) {
        if (str_starts(line, "some "))
            p.has_some = read_total(&p.some_us, line);
        else if (str_starts(line, "full "))
            p.has_full = read_total(&p.full_us, line);
    }
    if (!p.has_some && !p.has_full)
        return -EINVAL;
    *out = p;
    return 0;
}
