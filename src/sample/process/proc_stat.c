/* proc_stat.c -- see proc(5). */
#include "sample/process/proc_stat.h"

#include "base/compiler.h"

#include <errno.h>
#include <string.h>

enum { FIELD_STATE = 3, FIELD_WAIT_STATUS = 52 };

/* A file cut short leaves its last word empty. */
static int parse_words(struct proc_stat *st, struct str rest)
{
    uint64_t *const natural[FIELD_WAIT_STATUS + 1] = {
        [4] = &st->parent,
        [10] = &st->minor_faults,
        [12] = &st->major_faults,
        [14] = &st->user_ticks,
        [15] = &st->system_ticks,
        [20] = &st->threads,
        [22] = &st->start_ticks,
        [23] = &st->virtual_bytes,
    };
    int64_t *const integer[FIELD_WAIT_STATUS + 1] = {
        [18] = &st->priority,
        [19] = &st->nice,
        [FIELD_WAIT_STATUS] = &st->wait_status,
    };

    for (size_t i = FIELD_STATE; i <= FIELD_WAIT_STATUS; i++) {
        struct str word = str_word(&rest);
        int rc = 0;

        if (i == FIELD_STATE && word.len == 1)
            st->state = word.p[0];
        else if (natural[i])
            rc = str_u64(natural[i], word);
        else if (integer[i])
            rc = str_i64(integer[i], word);
        else if (!word.len || i == FIELD_STATE)
            rc = -EINVAL;
        if (rc)
            return rc;
    }
    return 0;
}

/* The name may hold spaces, parentheses and newlines, and nothing behind it
 * does: it ends at the last ')'. */
int proc_stat_parse(struct proc_stat *out, struct str text)
{
    struct proc_stat st = { 0 };
    struct str rest = str_after_last(text, ')');
    const char *open = text.len ? memchr(text.p, '(', text.len) : NULL;

    if (!rest.len || !open || open + 1 >= rest.p)
        return -EINVAL;
    st.name = (struct str){ open + 1, (size_t)(rest.p - open) - 2 };

    int rc = parse_words(&st, rest);

    if (!rc)
        *out = st;
    return rc;
}
