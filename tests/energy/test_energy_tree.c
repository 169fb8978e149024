/* A made-up powercap tree, whose counters are moved along a known truth, read
 * by the sampler of RAPL and summed up: from the file to the joule. */
#include "base/compiler.h"
#include "energy/account.h"
#include "energy/counter_period.h"
#include "sample/device/device_samplers.h"
#include "test.h"

#include "energy_truth.h"
#include "tree.h"

#include <fcntl.h>

#define ZONES   5
#define WRAP_UJ 262143328ull

static const struct {
    const char *folder, *name;
} zones[ZONES] = {
    { "intel-rapl:2", "psys" },
    { "intel-rapl:0", "package-0" },
    { "intel-rapl:0:0", "core" },
    { "intel-rapl:0:2", "dram" },
    { "intel-rapl:1", "package-1" },
};

enum { PSYS, PACKAGE_0, CORE, DRAM, PACKAGE_1 };

struct machine {
    struct tree tree;
    int counter[ZONES]; /* the files that move, kept open */
    struct truth truth[ZONES];
    struct truth_readings file[ZONES]; /* what each file says, at which time */
    uint64_t end_ns;
    struct subjects *subjects;
    void *state;
    struct truth_readings zone[ZONES]; /* what the sampler told, by subject */
    const char *name[ZONES];
    uint32_t subject[ZONES], parent[ZONES];
    size_t zone_count;
};

static void put(const struct machine *m, size_t zone, const char *file,
        uint64_t value)
{
    char path[128], text[32];

    (void)snprintf(path, sizeof(path), "sys/class/powercap/%s/%s",
            zones[zone].folder, file);
    (void)snprintf(text, sizeof(text), "%llu\n", (unsigned long long)value);
    tree_put(&m->tree, path, text);
}

/* Over what it says, with as many digits, so that nothing else of the file
 * changes. */
static void move(const struct machine *m, size_t zone, uint64_t value)
{
    char text[32];
    int len = snprintf(text, sizeof(text), "%012llu\n",
            (unsigned long long)value);

    CHECK_INT(pwrite(m->counter[zone], text, (size_t)len, 0), len);
}

static void open_machine(struct machine *m)
{
    struct error e = { 0 };

    m->tree = tree_open();
    for (size_t i = 0; i < ZONES; i++) {
        char path[128], text[32];

        (void)snprintf(path, sizeof(path), "sys/class/powercap/%s/name",
                zones[i].folder);
        (void)snprintf(text, sizeof(text), "%s\n", zones[i].name);
        tree_put(&m->tree, path, text);
        put(m, i, "max_energy_range_uj", WRAP_UJ);
        (void)snprintf(path, sizeof(path), "sys/class/powercap/%s/energy_uj",
                zones[i].folder);
        m->counter[i] =
                open(tree_path(&m->tree, path), O_WRONLY | O_CREAT, 0666);
        move(m, i, (uint64_t)m->file[i].items[0].value);
    }
    m->subjects = subjects_new("test");
    m->state = calloc(1, sampler_rapl_powercap.state_size);
    CHECK_INT(sampler_rapl_powercap.open(m->state,
                      &(struct sample_context){ .root = m->tree.root,
                              .subjects = m->subjects },
                      &e),
            0);
}

static size_t place(struct machine *m, uint32_t subject, size_t reads)
{
    const struct subject *s = subjects_get(m->subjects, subject);

    for (size_t i = 0; i < m->zone_count; i++)
        if (m->subject[i] == subject)
            return i;
    m->subject[m->zone_count] = subject;
    m->parent[m->zone_count] = s->parent;
    m->name[m->zone_count] = s->name;
    m->zone[m->zone_count].items = calloc(reads, sizeof(struct series_reading));
    return m->zone_count++;
}

/* Moves the files along, and reads. */
static void replay(struct machine *m)
{
    struct reading items[64];
    size_t reads = m->file[0].count;

    for (size_t i = 0; i < reads; i++) {
        struct batch b = { items, 0, LEN(items), 0,
            m->file[0].items[i].time_ns };

        for (size_t z = 0; z < ZONES; z++)
            if (!i ||
                    m->file[z].items[i].value < m->file[z].items[i - 1].value ||
                    m->file[z].items[i].value > m->file[z].items[i - 1].value)
                move(m, z, (uint64_t)m->file[z].items[i].value);
        sampler_rapl_powercap.read(m->state, &b);
        for (size_t k = 0; k < b.count; k++) {
            struct truth_readings *r =
                    &m->zone[place(m, b.items[k].subject, reads)];

            r->items[r->count++] = (struct series_reading){ b.items[k].time_ns,
                b.items[k].value };
        }
    }
}

static void close_machine(struct machine *m)
{
    sampler_rapl_powercap.close(m->state);
    free(m->state);
    subjects_free(m->subjects);
    for (size_t i = 0; i < ZONES; i++) {
        truth_release(&m->truth[i]);
        free(m->file[i].items);
        free(m->zone[i].items);
        (void)close(m->counter[i]);
    }
    tree_close(&m->tree);
}

/* Work on the first package; the others are steady.  Each file counts whole
 * microjoules and starts again when it is full. */
static void make_truth(struct machine *m, uint64_t period_ns, uint64_t read_ns,
        double jitter)
{
    static const struct truth_work works[] = { { 700 * MS, 62 },
        { 1900 * MS, 38 } };
    uint64_t seed = 271828;
    struct truth *work = &m->truth[PACKAGE_0];

    m->end_ns = truth_rounds(work, 0, 10000 * MS, works, LEN(works),
            (struct truth_work){ 400 * MS, 9 }, 0.1, &seed);
    truth_step(work, m->end_ns, 9);
    truth_step(&m->truth[PACKAGE_1], 0, 20);
    truth_step(&m->truth[DRAM], 0, 3);
    for (size_t i = 0; i < work->count; i++) {
        uint64_t at = work->steps[i].start_ns;

        truth_step(&m->truth[CORE], at, 0.7 * work->steps[i].watts);
        truth_step(&m->truth[PSYS], at, 1.3 * work->steps[i].watts + 30);
    }
    for (size_t i = 0; i < ZONES; i++) {
        struct truth_counter c = {
            .period_ns = period_ns,
            .jitter = jitter,
            .unit_joules = 1e-6,
            .wrap_joules = (double)WRAP_UJ / 1e6,
            .begin_joules = 100 + 30 * (double)i,
            .read_ns = read_ns,
        };

        m->file[i] =
                truth_read(&m->truth[i], &c, 0, m->end_ns + 300 * MS, &seed);
        for (size_t k = 0; k < m->file[i].count; k++)
            m->file[i].items[k].value = round(m->file[i].items[k].value * 1e6);
    }
}

static void account(struct energy_account *a, struct machine *m)
{
    struct account_sensor sensors[ZONES];

    for (size_t i = 0; i < m->zone_count; i++)
        sensors[i] = (struct account_sensor){
            .zone = { .subject = m->subject[i],
                    .parent = m->parent[i],
                    .part = zone_part_of(m->name[i]),
                    .name = m->name[i],
                    .source = "rapl-powercap",
                    .has_joules = true },
            .joules = m->zone[i].items,
            .joules_count = m->zone[i].count,
        };
    energy_account_build(a,
            &(struct account_input){ .sensors = sensors,
                    .sensor_count = m->zone_count,
                    .spans = m->truth[PACKAGE_0].spans,
                    .span_count = m->truth[PACKAGE_0].span_count,
                    .class_count = m->truth[PACKAGE_0].class_count,
                    .end_ns = m->end_ns });
    CHECK(attribution_adds_up(&a->attribution));
}

static double truly(const struct machine *m, size_t zone)
{
    return truth_joules(&m->truth[zone], m->end_ns);
}

/* Two packages and memory are added up; cores and the board are not. */
static void adds_up(uint64_t period_ns, uint64_t read_ns, double jitter)
{
    struct machine m = { 0 };
    struct energy_account a;

    make_truth(&m, period_ns, read_ns, jitter);
    open_machine(&m);
    replay(&m);
    CHECK_INT(m.zone_count, ZONES);
    account(&a, &m);
    CHECK_INT(a.counted, 3);
    CHECK_INT(a.method, READING_MEASURED);
    CHECK(within((double)a.attribution.total_uj / 1e6,
            truly(&m, PACKAGE_0) + truly(&m, PACKAGE_1) + truly(&m, DRAM),
            0.005));
    CHECK(within((double)a.part_uj[ZONE_CPU] / 1e6,
            truly(&m, PACKAGE_0) + truly(&m, PACKAGE_1), 0.005));
    CHECK(within((double)a.part_uj[ZONE_DRAM] / 1e6, truly(&m, DRAM), 0.005));
    for (size_t i = 0; i < a.zone_count; i++)
        CHECK_INT(a.zones[i].window.faulty_ns, 0);
    CHECK(a.point_count > 90);
    CHECK(within(a.peak_watts, 62 + 20 + 3, 0.05));

    /* Each kind of work with its share of the steady 23 W. */
    double passed_s = (double)m.end_ns / 1e9;

    for (uint32_t i = 1; i < m.truth[PACKAGE_0].class_count; i++) {
        const struct class_energy *c = &a.attribution.classes[i];

        CHECK(within((double)c->own_uj / 1e6,
                m.truth[PACKAGE_0].class_joules[i] + 23 * c->busy_s, 0.02));
        CHECK(c->busy_s < passed_s);
    }
    CHECK_INT(energy_account_method(&a, 5 * a.period_ns), READING_MEASURED);
    CHECK_INT(energy_account_method(&a, 200 * US), READING_APPORTIONED);
    energy_account_release(&a);
    close_machine(&m);
}

/* A counter that stands still, one that falls to nothing, one that tells
 * rubbish: a part of the time of each is lost, the rest is right. */
static void broken(void)
{
    struct machine m = { 0 };
    struct energy_account a;

    make_truth(&m, MS, 10 * MS, 0);

    struct series_reading *p0 = m.file[PACKAGE_0].items;
    struct series_reading *p1 = m.file[PACKAGE_1].items;
    double held = p0[300].value, fell = p1[400].value;

    for (size_t i = 300; i < 500; i++)
        p0[i].value = held; /* 2 s */
    for (size_t i = 400; i < m.file[PACKAGE_1].count; i++)
        p1[i].value = fmod(p1[i].value - fell + (double)WRAP_UJ,
                (double)WRAP_UJ); /* it begins at 0 again */
    m.file[DRAM].items[200].value = (double)WRAP_UJ * 0.9;
    open_machine(&m);
    replay(&m);
    account(&a, &m);
    CHECK_INT(a.counted, 3);
    for (size_t i = 0; i < a.zone_count; i++) {
        const struct account_zone *z = &a.zones[i];
        double lost_s = (double)z->window.faulty_ns / 1e9;
        bool package_0 = strcmp(z->zone.name, "package-0") == 0;

        if (z->zone.role != ZONE_COUNTED)
            continue;
        CHECK(lost_s > 0.005);
        CHECK(within(lost_s, package_0 ? 2.01 : lost_s, 0.01));
        CHECK(package_0 || lost_s < 0.03);
        CHECK(!z->window.sufficient);
        if (strcmp(z->zone.name, "package-1") == 0)
            CHECK(within(z->mean_watts, 20, 0.005));
        if (z->zone.part == ZONE_DRAM)
            CHECK(within(z->mean_watts, 3, 0.005));
    }
    CHECK(a.covered_ns < m.end_ns - 1900 * MS);
    energy_account_release(&a);
    close_machine(&m);
}

/* --- reading fast, for a moment ------------------------------------------- */

static struct machine *observed_machine;
static uint64_t virtual_ns;

static uint64_t virtual_now(void)
{
    return virtual_ns;
}

/* The first package moves every millisecond, all others every 200 ms. */
static void virtual_until(uint64_t moment_ns)
{
    virtual_ns = moment_ns;
    for (size_t i = 0; i < ZONES; i++) {
        uint64_t step = i == PACKAGE_0 ? MS : 200 * MS;

        move(observed_machine, i, virtual_ns / step * (step / 100));
    }
}

static void observed(void)
{
    static const struct sampler *const table[] = { &sampler_rapl_powercap,
        NULL };
    struct machine m = { 0 };
    struct counter_period seen[COUNTER_PERIODS_MAX];
    struct counter_period_plan plan = counter_period_usual;
    uint64_t began_ns = 1000 * MS;

    make_truth(&m, MS, 100 * MS, 0);
    open_machine(&m);
    observed_machine = &m;
    virtual_until(began_ns);
    plan.table = table;
    plan.root = m.tree.root;
    plan.now_ns = virtual_now;
    plan.until = virtual_until;
    CHECK_INT(counter_periods(seen, &plan), 1);
    CHECK(strcmp(seen[0].name, "package-0") == 0);
    CHECK(strcmp(seen[0].source, "rapl-powercap") == 0);
    CHECK_INT(seen[0].period_ns, MS);
    CHECK_INT(virtual_ns - began_ns, plan.most_ns);

    /* Without a sensor nobody waits. */
    plan.root = "/nonexistent";
    began_ns = virtual_ns;
    CHECK_INT(counter_periods(seen, &plan), 0);
    CHECK_INT(virtual_ns, began_ns);
    close_machine(&m);
}

/* Nothing at all is not 0 J. */
static void nothing(void)
{
    struct energy_account a;

    energy_account_build(&a,
            &(struct account_input){ .class_count = 1, .end_ns = 1000 * MS });
    CHECK_INT(a.counted, 0);
    CHECK_INT(a.point_count, 0);
    energy_account_release(&a);
}

int main(void)
{
    adds_up(MS, 10 * MS, 0);
    adds_up(MS, 5 * MS, 0.2);
    adds_up(100 * MS, 10 * MS, 0);
    adds_up(100 * MS, 10 * MS, 0.1);
    broken();
    observed();
    nothing();
    return test_result();
}
