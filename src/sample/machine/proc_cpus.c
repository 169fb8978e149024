/* proc_cpus.c -- see proc(5). */
#include "sample/machine/proc_cpus.h"

#include "base/compiler.h"

#include <errno.h>
#include <string.h>

/* Kernels before 2.6.11 have fewer numbers; later ones more, which are parts
 * of these. */
bool proc_cpus_next(struct proc_cpu *out, struct str *rest)
{
    struct proc_cpu c = { 0 };
    uint64_t *const fields[] = { &c.user, &c.nice, &c.system, &c.idle,
        &c.io_wait, &c.interrupt, &c.soft_interrupt, &c.stolen };
    struct str line;

    if (!str_starts(*rest, "cpu") || !memchr(rest->p, '\n', rest->len) ||
            !str_line(&line, rest))
        return false;

    struct str name = str_word(&line);

    c.all = name.len == 3;
    if (!c.all && str_u64(&c.number, (struct str){ name.p + 3, name.len - 3 }))
        return false;
    for (size_t i = 0; i < LEN(fields); i++)
        if (str_u64(fields[i], str_word(&line)))
            return false;
    *out = c;
    return true;
}

int proc_cpus_number(uint64_t *out, struct str text, const char *word)
{
    struct str line;

    while (memchr(text.len ? text.p : "", '\n', text.len) &&
            str_line(&line, &text)) {
        /* One of the lines is very long. */
        if (!str_starts(line, word))
            continue;
        if (str_is(str_word(&line), word))
            return str_u64(out, str_word(&line));
    }
    return -EINVAL;
}
