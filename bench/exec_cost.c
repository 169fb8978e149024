/* exec_cost.c -- what it costs a program that never meets ONNX Runtime to be
 * started with the hook: exec_cost HOOK EMPTY FOLDER COUNT PROGRAM.
 *
 * From posix_spawn() to the end of PROGRAM, in turns: plain, with an EMPTY
 * library preloaded, which is what any preload costs, and with the HOOK and
 * the FOLDER of a collector. */
#include "base/json.h"
#include "bench/quantile.h"
#include "os/clock.h"
#include "tests/programs/ort_host.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { MOST = 10000 };

enum { PLAIN, EMPTY, HOOK, KINDS };

static const char *const name[KINDS] = { "plain", "empty", "hook" };

static double took_us[KINDS][MOST];

static void preload(const char *library, const char *folder)
{
    if (library)
        (void)setenv("LD_PRELOAD", library, 1);
    else
        (void)unsetenv("LD_PRELOAD");
    if (folder)
        (void)setenv("ORTMETER_DIR", folder, 1);
    else
        (void)unsetenv("ORTMETER_DIR");
}

/* Microseconds. */
static double start_and_wait(char *program)
{
    char *argv[] = { program, NULL };
    pid_t child = 0;
    int status = 0;
    uint64_t start_ns = mono_ns();
    int rc = posix_spawn(&child, program, NULL, NULL, argv, environ);

    if (rc)
        die("cannot start %s: %s", program, strerror(rc));
    if (waitpid(child, &status, 0) != child || status)
        die("%s failed", program);
    return (double)(mono_ns() - start_ns) / 1e3;
}

static void write_result(size_t count)
{
    struct buf text = { 0 };
    struct json j = json_line_into(&text);

    json_object(&j, NULL);
    for (int k = 0; k < KINDS; k++) {
        json_object(&j, name[k]);
        json_fixed(&j, "min_us", quantile(took_us[k], count, 0), 2);
        json_fixed(&j, "median_us", median(took_us[k], count), 2);
        json_end(&j);
    }
    json_end(&j);
    (void)puts(buf_cstr(&text));
    buf_release(&text);
}

int main(int argc, char **argv)
{
    if (argc != 6)
        die("use: %s HOOK EMPTY FOLDER COUNT PROGRAM", argv[0]);

    size_t count = (size_t)number(argv[4]);

    if (!count || count > MOST)
        die("COUNT is 1 to %d", MOST);
    for (size_t i = 0; i < count * KINDS; i++) {
        size_t turn = i / KINDS;
        size_t kind = (i + turn) % KINDS; /* each comes first in turn */

        preload(kind == HOOK    ? argv[1]
                : kind == EMPTY ? argv[2]
                                : NULL,
                kind == HOOK ? argv[3] : NULL);
        took_us[kind][turn] = start_and_wait(argv[5]);
    }
    write_result(count);
    return 0;
}
