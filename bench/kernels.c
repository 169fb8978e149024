/* kernels.c -- what traced inferences cost the collector: bytes in the ring,
 * CPU time and growth of the database.
 *
 *     kernels FOLDER KERNELS INFERENCES
 *
 * Records of a chain of KERNELS operators are made as the hook sends them, and
 * go through the trace into a database in FOLDER; sums are written as often as
 * a thousand inferences a second would have it. */
#include "base/json.h"
#include "collect/trace.h"
#include "os/clock.h"
#include "os/process/child.h"
#include "store/subscriber.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { A_SECOND = 1000, THREAD = 7, SESSION = 0x9000, KERNEL_NS = 2000 };

static struct store *store;
static struct trace *trace;
static uint64_t records;

static void must(bool well, const char *why)
{
    if (well)
        return;
    (void)fprintf(stderr, "kernels: %s\n", why);
    exit(1);
}

static void inference(void *context, const struct inference *i)
{
    (void)context;
    must(i->flags & FLAG_TRACED, "an inference was lost");
}

/* --- records -------------------------------------------------------------- */

static void take(struct record r)
{
    records++;
    trace_take(trace, 1, &r, NULL);
}

static uint64_t text(uint64_t hash, const char *prefix, unsigned number)
{
    struct record r = { .kind = RECORD_TEXT, .text.hash = hash };

    r.text.len = (uint32_t)snprintf(r.text.bytes, sizeof(r.text.bytes), "%s%u",
            prefix, number);
    take(r);
    return hash;
}

static struct record tensor_of(unsigned kernel, uint16_t flags, uint64_t name)
{
    return (struct record){ .kind = RECORD_TENSOR,
        .flags = flags,
        .tensor = { .kernel = 16 * (kernel + 1),
                .name = name,
                .trace = 1,
                .type = 1,
                .rank = 2,
                .dims = { 1, 64 } } };
}

static void describe(unsigned kernels)
{
    (void)text(1, "Relu", 0);
    for (unsigned i = 0; i <= kernels; i++)
        (void)text(i + 2, "tensor_", i);
    for (unsigned i = 0; i < kernels; i++) {
        take((struct record){ .kind = RECORD_KERNEL,
                .kernel = { .kernel = 16 * (i + 1),
                        .op_type = 1,
                        .node_index = i } });
        take(tensor_of(i, 0, i + 2));
        take(tensor_of(i, TENSOR_OUTPUT, i + 3));
    }
}

static void infer(unsigned number, unsigned kernels)
{
    uint64_t start = (uint64_t)number * (kernels + 1) * 2 * KERNEL_NS;
    uint64_t end = start;
    struct record r = { .kind = RECORD_LINES,
        .flags = 1,
        .lines = { .trace = number,
                .thread = THREAD,
                .line = { { LINE_CLOCK, (uint32_t)start,
                        (uint32_t)(start >> 32) } } } };

    for (unsigned i = 0; i < kernels; i++) {
        uint32_t took = KERNEL_NS + (i * 31 + number * 17) % 400;

        r.lines.line[r.flags++] =
                (struct record_line){ 16 * (i + 1), took + 200, took };
        end += took + 200;
        if (r.flags == RECORD_LINES_EACH || i + 1 == kernels) {
            take(r);
            r.flags = 0;
        }
    }
    take((struct record){ .kind = RECORD_TRACED,
            .traced = { .shapes = 5,
                    .trace = number,
                    .thread = THREAD,
                    .kernels = kernels } });
    take((struct record){ .kind = RECORD_RUN,
            .flags = FLAG_TRACED,
            .run = { .start = start,
                    .end = end,
                    .session = SESSION,
                    .thread = THREAD } });
}

int main(int argc, char **argv)
{
    unsigned kernels = argc == 4 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    unsigned count = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    struct run run = { .command = "bench", .version = "0", .meter_pid = 1 };
    struct store_subscriber stored;
    struct subscribers all = { 0 };
    struct buf out = { 0 };
    struct error e = { 0 };
    char path[4096];

    must(kernels && count, "use: kernels FOLDER KERNELS INFERENCES");
    (void)snprintf(path, sizeof(path), "%s/kernels-%u.db", argv[1], kernels);
    must(!store_open(&store, path, STORE_WRITE, &e), e.text);
    must(!store_begin_run(store, &run, &e), e.text);
    store_subscribe(&stored, store);
    subscribers_add(&all, &stored.to);
    subscribers_add(&all, &(struct subscriber){ .inference = inference });

    const struct subscriber to = subscriber_to_all(&all);

    trace = trace_new(&to, 0);
    (void)trace_process(trace, 0, 0);
    describe(kernels);
    infer(1, kernels);
    must(!store_flush(store, &e), e.text);

    uint64_t bytes = store_bytes(store), sums_ns = 0;
    uint64_t sent = records, cpu_ns = own_cpu_ns();

    for (unsigned i = 2; i <= count; i++) {
        infer(i, kernels);
        if (i % A_SECOND == 0) {
            uint64_t before_ns = own_cpu_ns();

            trace_tell(trace);
            must(!store_flush(store, &e), e.text);
            sums_ns += own_cpu_ns() - before_ns;
        }
    }
    cpu_ns = own_cpu_ns() - cpu_ns;
    sent = records - sent;
    trace_end(trace);
    must(!store_flush(store, &e), e.text);

    double lines = (double)kernels * (count - 1);
    struct json j = json_into(&out);

    json_object(&j, NULL);
    json_int(&j, "kernels", kernels);
    json_int(&j, "inferences", count);
    json_real(&j, "ring_bytes_per_inference",
            (double)sent * sizeof(struct record) / (count - 1));
    json_real(&j, "cpu_ms_per_million_lines", (double)cpu_ns / lines);
    json_real(&j, "cpu_ms_for_sums_each_time",
            (double)sums_ns / 1e6 / (count / A_SECOND ? count / A_SECOND : 1));
    json_real(&j, "database_bytes_per_inference",
            ((double)store_bytes(store) - (double)bytes) / (count - 1));
    json_int(&j, "peak_rss_bytes", (int64_t)own_peak_rss_bytes());
    json_end(&j);
    (void)printf("%s\n", buf_cstr(&out));
    buf_release(&out);
    trace_free(trace);
    store_close(store);
    return 0;
}
