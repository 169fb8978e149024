/* NVIDIA's two ways to tell energy, on a made-up NVML that follows a known
 * curve: a counter, and power alone.  From the library through the sampler and
 * the store to the account, both must tell the same.  Arguments: the library
 * as of today, and as of an old driver. */
#include "base/compiler.h"
#include "energy/run_energy.h"
#include "fake_nvml.h"
#include "os/dl.h"
#include "sample/device/device_samplers.h"
#include "stored.h"

#include "driven.h"
#include "energy_truth.h"

#define READ_NS (20 * MS) /* as often as the sampler may be read */
#define MEAN_NS (1000 * MS)

/* How a GPU tells what it draws. */
enum way {
    COUNTER,    /* joules since the driver was loaded, every 100 ms */
    POWER_NOW,  /* watts at the moment */
    POWER_MEAN, /* watts, the mean of the last second */
    WAYS
};

struct curve {
    struct truth truth;
    uint64_t end_ns;
};

/* Inferences of 400 ms at 290 W and 900 ms at 180 W with rests at 35 W, which
 * is also how it begins and ends. */
static void make_curve(struct curve *c)
{
    static const struct truth_work works[] = { { 400 * MS, 290 },
        { 900 * MS, 180 } };
    uint64_t seed = 314159;
    uint64_t begin_ns = 2000 * MS;

    *c = (struct curve){ 0 };
    truth_step(&c->truth, 0, 35);
    c->end_ns = truth_rounds(&c->truth, begin_ns, 40000 * MS, works, LEN(works),
            (struct truth_work){ 250 * MS, 35 }, 0.2, &seed);
    truth_step(&c->truth, c->end_ns, 35);
    c->end_ns += 2000 * MS;
}

static double mean_watts(const struct curve *c, uint64_t from_ns,
        uint64_t to_ns)
{
    return (truth_joules(&c->truth, to_ns) - truth_joules(&c->truth, from_ns)) *
           1e9 / (double)(to_ns - from_ns);
}

static struct fake_nvml *begin_library(struct dl **held, const char *path,
        enum way way)
{
    struct error e = { 0 };
    struct fake_nvml *f = NULL;

    CHECK(setenv("ORTMETER_NVML", path, 1) == 0);
    CHECK_INT(dl_open(held, path, &e), 0);

    dl_function symbol = *held ? dl_find(*held, "fake_nvml") : NULL;

    memcpy(&f, &symbol, sizeof(f));
    CHECK(f != NULL);
    if (!f)
        exit(1);
    *f = (struct fake_nvml){ .gpus = 1,
        .power_limit_mw = 450000,
        .process_bytes = 24 };
    if (way != COUNTER)
        f->rc.nvmlDeviceGetTotalEnergyConsumption = NVML_NOT_SUPPORTED;
    return f;
}

/* What the library says at a moment. */
static void move(struct fake_nvml *f, const struct curve *c, uint64_t at_ns)
{
    uint64_t from_ns = at_ns > MEAN_NS ? at_ns - MEAN_NS : 0;
    uint64_t updated_ns = at_ns / (100 * MS) * (100 * MS);

    f->energy_mj =
            987654321 +
            (unsigned long long)(1e3 * truth_joules(&c->truth, updated_ns));
    f->power_now_mw = (unsigned)(1e3 * mean_watts(c, at_ns, at_ns + 1000));
    f->power_mean_mw =
            (unsigned)(1e3 * (at_ns ? mean_watts(c, from_ns, at_ns) : 35));
}

static void keep_readings(struct store *store, struct driven *s,
        uint32_t *subjects)
{
    for (; *subjects < subjects_count(s->subjects); ++*subjects)
        store_add_subject(store, *subjects,
                subjects_get(s->subjects, *subjects));
    for (size_t i = 0; i < s->batch.count; i++)
        store_add_reading(store, &s->items[i]);
}

static void add_work(struct store *store, const struct curve *c)
{
    store_add_process(store, &(struct process){ .id = 1, .pid = 4 });
    for (uint32_t i = 1; i <= 2; i++)
        store_add_session(store, &(struct session){ .id = i, .process = 1 });
    for (size_t i = 0; i < c->truth.span_count; i++) {
        const struct work_span *x = &c->truth.spans[i];

        (void)store_add_inference(store,
                &(struct inference){ .session = x->work_class,
                        .process = 1,
                        .thread = 9,
                        .phase = x->work_class == 1 ? PHASE_PREFILL
                                                    : PHASE_DECODE,
                        .start_ns = x->start_ns,
                        .duration_ns = x->end_ns - x->start_ns });
    }
}

/* Joules by the run and by phase. */
struct told {
    double total, prefill, decode;
};

static struct told account(const struct curve *c, const char *library,
        enum way way)
{
    struct tree t = tree_open();
    struct store *store = stored_open(&t, STORE_WRITE);
    struct run run = stored_run(store, 1700000000000000000);
    struct dl *held = NULL;
    struct fake_nvml *f = begin_library(&held, library, way);
    struct run_energy r;
    struct error e = { 0 };
    uint32_t subjects = 1; /* 0 is the machine */

    tree_put(&t, "proc/driver/nvidia/version", "NVRM version: 550.54.14\n");

    struct driven *s = driven_open(&sampler_nvml, t.root);

    CHECK_INT(s->rc, 0);
    add_work(store, c);
    for (uint64_t at = 0; at <= c->end_ns; at += READ_NS) {
        move(f, c, at);
        driven_read(s, at);
        keep_readings(store, s, &subjects);
    }
    CHECK(isnan(driven_value(s, METRIC_device_energy_joules_total, "gpu0")) ==
            (way != COUNTER));
    driven_close(s);
    stored_flush(store);
    run.duration_ns = c->end_ns;
    run.status = RUN_COMPLETE;
    CHECK_INT(store_end_run(store, &run, &e), 0);
    CHECK_INT(run_energy_read(&r, store, run.row, &e), 0);
    CHECK_INT(r.account.counted, 1);
    CHECK_INT(r.account.method, READING_MEASURED);
    CHECK(attribution_adds_up(&r.account.attribution));
    CHECK_INT(r.account.part_uj[ZONE_GPU], r.account.attribution.total_uj);

    struct told told = {
        (double)r.account.attribution.total_uj / 1e6,
        (double)run_energy_phase(&r, PHASE_PREFILL).gross_uj / 1e6,
        (double)run_energy_phase(&r, PHASE_DECODE).gross_uj / 1e6,
    };

    run_energy_release(&r);
    store_close(store);
    dl_close(held);
    tree_close(&t);
    return told;
}

int main(int argc, char **argv)
{
    struct curve c;

    if (argc < 3)
        return 1;
    make_curve(&c);

    struct told counter = account(&c, argv[1], COUNTER);
    struct told now = account(&c, argv[1], POWER_NOW);
    struct told mean = account(&c, argv[2], POWER_MEAN);
    double truly = truth_joules(&c.truth, c.end_ns);

    CHECK(within(counter.total, truly, 0.005));
    CHECK(within(now.total, counter.total, 0.01));
    CHECK(within(mean.total, counter.total, 0.01));

    /* Of each phase; a mean over a second is too blunt for that. */
    CHECK(within(counter.prefill, c.truth.class_joules[1], 0.02));
    CHECK(within(counter.decode, c.truth.class_joules[2], 0.02));
    CHECK(within(now.prefill, c.truth.class_joules[1], 0.02));
    CHECK(within(now.decode, c.truth.class_joules[2], 0.02));
    truth_release(&c.truth);
    return test_result();
}
