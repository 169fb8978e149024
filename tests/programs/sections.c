/* sections.c -- a program that tells the meter what it is doing:
 *
 *     sections MODEL COUNT
 *
 * One thread with a name, COUNT batches of
 * 8, three of them padding, two sections that nest, COUNT tokens, a mark.
 * Prints the same whether or not anybody listens, but for the last line. */
#include "ort_host.h"
#include "ortmeter.h"

#include <inttypes.h>
#include <stdio.h>

const struct ort_api_base *OrtGetApiBase(void);

int main(int argc, char **argv)
{
    struct host h = { 0 };
    struct job j = { 0 };

    if (argc != 3)
        die("use: %s MODEL COUNT", argv[0]);

    uint64_t count = number(argv[2]);

    ortmeter_thread_name("the only one");

    struct ortmeter_section load = ortmeter_section_begin(ORTMETER_PRE, "load");

    host_open(&h, OrtGetApiBase());
    job_open_alone(&j, &h, argv[1]);
    ortmeter_section_end(&load);
    ortmeter_mark("loaded");

    uint64_t sum = SUM_START;
    struct ortmeter_section all =
            ortmeter_section_begin(ORTMETER_DECODE, "all");

    for (uint64_t i = 0; i < count; i++) {
        struct ortmeter_section one =
                ortmeter_section_begin(ORTMETER_DECODE, "one \"quoted\"");

        ortmeter_batch(8, 3, 5);
        sum = job_run(&j, sum);
        ortmeter_token((uint32_t)i, (int64_t)(100 + i), i % 2 ? NULL : "é");
        ortmeter_section_end(&one);
    }
    ortmeter_section_end(&all);
    ortmeter_section_end(&all); /* allowed, and counts once */
    ortmeter_section_end(&load);
    printf("sections %" PRIu64 " %016" PRIx64 "\n", count, sum);
    printf("listening %d\n", ortmeter_listening());
    job_close(&j);
    host_close(&h);
    return 0;
}
