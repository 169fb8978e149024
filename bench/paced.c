/* paced.c -- so many inferences a second, for so long: paced ORT RATE SECONDS.
 *
 * A schedule that does not slip: what a late wake-up missed is made up for at
 * once, so the count is exact and the rate as asked. */
#include "base/json.h"
#include "bench/silero.h"
#include "os/clock.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

enum { TICKS_PER_S = 1000 };

static void sleep_until(uint64_t time_ns)
{
    struct timespec t = { (time_t)(time_ns / 1000000000),
        (long)(time_ns % 1000000000) };

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

/* Returns how long it took, in nanoseconds. */
static uint64_t run_paced(struct silero *s, uint64_t rate, uint64_t ticks)
{
    ort_Run run = ORT(s->host->api, Run);
    uint64_t start_ns = mono_ns(), done = 0;

    for (uint64_t tick = 1; tick <= ticks; tick++) {
        for (; done < rate * tick / TICKS_PER_S; done++)
            silero_run(s, run);
        sleep_until(start_ns + tick * (1000000000 / TICKS_PER_S));
    }
    return mono_ns() - start_ns;
}

int main(int argc, char **argv)
{
    struct host h = { 0 };
    struct silero s;
    struct buf text = { 0 };
    struct json j = json_line_into(&text);

    if (argc != 4)
        die("use: %s ORT RATE SECONDS", argv[0]);

    uint64_t rate = number(argv[2]), seconds = number(argv[3]);

    host_open(&h, library_base(library_open(argv[1], 0)));
    silero_open(&s, &h, "paced");

    uint64_t took_ns = run_paced(&s, rate, seconds * TICKS_PER_S);

    json_object(&j, NULL);
    json_u64(&j, "inferences", rate * seconds);
    json_fixed(&j, "per_s", (double)(rate * seconds) * 1e9 / (double)took_ns,
            1);
    json_end(&j);
    (void)puts(buf_cstr(&text));
    buf_release(&text);
    silero_close(&s);
    host_close(&h);
    return 0;
}
