#include "energy/context.h"

#include "stored.h"
#include "test.h"

#include "energy_truth.h"

/* Decodes of 200 ms whose power grows with their past: 20 W, and 1 W for each
 * 8 tokens.  The first three failed, told no past, and were a prefill. */
#define DECODES 90
#define EACH_NS (200 * MS)

static double watts(uint32_t past)
{
    return 20 + past / 8.0;
}

static void add(struct store *s, uint64_t start, enum phase phase,
        uint16_t flags, uint32_t past)
{
    (void)store_add_inference(s, &(struct inference){ .session = 1,
                                         .process = 1,
                                         .thread = 9,
                                         .phase = (uint8_t)phase,
                                         .flags = flags,
                                         .batch = 2,
                                         .past = past,
                                         .start_ns = start,
                                         .duration_ns = EACH_NS });
}

static uint64_t work(struct store *s, struct truth *t)
{
    const uint16_t told = FLAG_PAST | FLAG_SHAPE;
    uint64_t now = 0;

    truth_step(t, now, 20);
    add(s, now, PHASE_DECODE, told | FLAG_FAILED, 5);
    add(s, now += EACH_NS, PHASE_DECODE, FLAG_SHAPE, 5);
    add(s, now += EACH_NS, PHASE_PREFILL, told, 5);
    for (uint32_t past = 10; past < 10 + DECODES; past++) {
        now += EACH_NS;
        truth_step(t, now, watts(past));
        add(s, now, PHASE_DECODE, told, past);
    }
    return now + EACH_NS;
}

static void add_sensor(struct store *s, const struct truth *t, uint64_t end_ns)
{
    uint64_t seed = 3;
    struct truth_counter c = { .period_ns = MS, .read_ns = 10 * MS };
    struct truth_readings r = truth_read(t, &c, 0, end_ns + 50 * MS, &seed);

    store_add_subject(s, 1,
            &(struct subject){ .kind = SUBJECT_ZONE,
                    .name = "package-0",
                    .source = "rapl-powercap" });
    for (size_t i = 0; i < r.count; i++)
        store_add_reading(s,
                &(struct reading){ .time_ns = r.items[i].time_ns,
                        .value = r.items[i].value,
                        .subject = 1,
                        .metric = METRIC_zone_energy_joules_total });
    free(r.items);
}

/* What an inference of these pasts drew, in the mean. */
static double mean_joules(uint32_t from, uint32_t to)
{
    double sum = 0;

    for (uint32_t past = from; past <= to; past++)
        sum += watts(past) * (double)EACH_NS / 1e9;
    return sum / (to - from + 1);
}

static void check_steps(const struct context_step *steps)
{
    static const struct {
        uint32_t from, to;
    } want[CONTEXT_STEPS] = { [4] = { 10, 15 },
        [5] = { 16, 31 },
        [6] = { 32, 63 },
        [7] = { 64, 99 } };

    for (size_t i = 0; i < CONTEXT_STEPS; i++) {
        const struct context_step *x = &steps[i];

        if (!want[i].to) {
            CHECK_INT(x->tokens, 0);
            continue;
        }
        CHECK_INT(x->past_min, want[i].from);
        CHECK_INT(x->past_max, want[i].to);
        CHECK_INT(x->inferences, want[i].to - want[i].from + 1);
        CHECK_INT(x->tokens, 2 * x->inferences); /* a batch of two */
        CHECK(within(x->gross_j / (double)x->inferences,
                mean_joules(want[i].from, want[i].to), 0.02));
        CHECK(within(x->past_sum / (double)x->tokens,
                (want[i].from + want[i].to) / 2.0, 1e-9));
    }
}

int main(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run run = stored_run(s, 1700000000000000000);
    struct context_step steps[CONTEXT_STEPS];
    struct truth truth = { 0 };
    struct run_energy r;
    struct error e = { 0 };

    store_add_process(s, &(struct process){ .id = 1, .pid = 4 });
    store_add_session(s, &(struct session){ .id = 1, .process = 1 });
    run.duration_ns = work(s, &truth);
    stored_flush(s);
    CHECK_INT(run_energy_read_ended(&r, s, &run, &e), 0);
    CHECK(!context_find(steps, &r)); /* no sensor yet */
    run_energy_release(&r);

    add_sensor(s, &truth, run.duration_ns);
    stored_flush(s);
    CHECK_INT(run_energy_read_ended(&r, s, &run, &e), 0);
    CHECK(context_find(steps, &r));
    check_steps(steps);
    run_energy_release(&r);
    store_close(s);
    truth_release(&truth);
    tree_close(&t);
    return test_result();
}
