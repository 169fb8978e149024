/* Files of /proc: what the kernel writes, and what it would never write. */
#include "sample/process/proc_keyed.h"
#include "sample/process/proc_stat.h"

#include "base/compiler.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD " S 7 1 1 0 -1 4194304 113 5 3 2 58 15 1 1 "
#define TAIL                                                                 \
    " 4 0 4289574 36282368 138 18446744073709551615 1 2 3 4 5 0 0 4096 0 0 " \
    "0 0 17 2 0 0 9 0 0 1 2 3 4 5 6 7 256\n"

static const struct {
    const char *text;
    int rc;
    const char *name;
} stats[] = {
    { "41 (node)" HEAD "20 0" TAIL, 0, "node" },
    { "41 (a) b (c)" HEAD "20 0" TAIL, 0, "a) b (c" },
    { "41 (()" HEAD "20 0" TAIL, 0, "(" },
    { "41 ())" HEAD "20 0" TAIL, 0, ")" },
    { "41 (a\nb)" HEAD "20 0" TAIL, 0, "a\nb" },
    { "41 ()" HEAD "20 0" TAIL, 0, "" },
    { "41 (node)" HEAD "20 -x" TAIL, -EINVAL, NULL },
    { "41 (node)" HEAD, -EINVAL, NULL },
    { "41 (node) SS 7", -EINVAL, NULL },
    { "41 )node( S 7", -EINVAL, NULL },
    { "41 (node", -EINVAL, NULL },
    { ")(", -EINVAL, NULL },
    { "", -EINVAL, NULL },
};

static void check_stat(void)
{
    struct proc_stat st;

    for (size_t i = 0; i < LEN(stats); i++) {
        memset(&st, 0, sizeof(st));
        CHECK_INT(proc_stat_parse(&st, str_of(stats[i].text)), stats[i].rc);
        if (stats[i].rc)
            CHECK_INT(st.start_ticks, 0); /* untouched */
        else
            CHECK(str_is(st.name, stats[i].name));
    }
    CHECK_INT(proc_stat_parse(&st, str_of("41 (a) b (c)" HEAD "-51 -20" TAIL)),
            0);
    CHECK_INT(st.state, 'S');
    CHECK_INT(st.parent, 7);
    CHECK_INT(st.minor_faults, 113);
    CHECK_INT(st.major_faults, 3);
    CHECK_INT(st.user_ticks, 58);
    CHECK_INT(st.system_ticks, 15);
    CHECK_INT(st.priority, -51);
    CHECK_INT(st.nice, -20);
    CHECK_INT(st.threads, 4);
    CHECK_INT(st.start_ticks, 4289574);
    CHECK_INT(st.virtual_bytes, 36282368);
    CHECK_INT(st.wait_status, 256);
}

/* Cut anywhere before its last word, it is no stat file. */
static void check_cuts(void)
{
    static const char text[] = "41 (node)" HEAD "20 0" TAIL;
    struct proc_stat st;

    for (size_t len = 0; len < sizeof(text) - 5; len++) {
        char *cut = malloc(len + 1); /* so that a sanitizer sees its end */

        CHECK(cut != NULL);
        if (!cut)
            return;
        memcpy(cut, text, len);
        CHECK(proc_stat_parse(&st, (struct str){ cut, len }) < 0);
        free(cut);
    }
}

static void check_keyed(void)
{
    static const char *const keys[] = { "VmHWM", "Threads", "Vm", "none" };
    static const char text[] = "Name:\tVmHWM:\n"
                               "VmHWM:\t    8028 kB\n"
                               "VmHWMs:\t1 kB\n"
                               "\n"
                               "Threads:\t4\n"
                               "Threads:\t5\n"
                               "Vm:\tx\n"
                               "none:\t7";
    uint64_t values[LEN(keys)] = { 0 };

    CHECK_INT(proc_keyed_parse(values, keys, LEN(keys), str_of(text)), 3);
    CHECK_INT(values[0], 8028 * 1024);
    CHECK_INT(values[1], 4);
    CHECK_INT(proc_keyed_parse(values, keys, LEN(keys), str_of("none:\t7\n")),
            8);
    CHECK_INT(values[3], 7);
    CHECK_INT(proc_keyed_parse(values, keys, LEN(keys), str_of("")), 0);
    CHECK_INT(proc_keyed_parse(values, keys, LEN(keys),
                      str_of("none: -1\nnone: 99999999999999999999\n")),
            0);
}

int main(void)
{
    check_stat();
    check_cuts();
    check_keyed();
    return test_result();
}
