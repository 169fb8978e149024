/* What powermetrics wrote on real Macs.  The figures are those of the files'
 * README and of the files themselves.  Skipped where they are not at hand. */
#include "sample/power/powermetrics.h"

#include "driven.h"
#include "recorded.h"

static struct powermetrics_sample got[8];
static size_t got_count;
static char task_name[64];
static double energy_impact, pid;

static void keep(void *context, const struct powermetrics_sample *s)
{
    (void)context;
    if (s->task_count) {
        (void)snprintf(task_name, sizeof(task_name), "%s", s->task[0].name);
        energy_impact = s->task[0].energy_impact;
        pid = s->task[0].pid;
    }
    if (got_count < 8)
        got[got_count++] = *s;
}

static void feed_file(const char *name)
{
    struct powermetrics *p = powermetrics_new(keep, NULL);
    char path[256], part[1000];
    size_t len;
    FILE *f;

    (void)snprintf(path, sizeof(path), RECORDED "/powermetrics/%s", name);
    f = fopen(path, "rb");
    CHECK(f != NULL);
    got_count = 0;
    while (f && (len = fread(part, 1, sizeof(part), f)) > 0)
        powermetrics_feed(p, part, len);
    if (f)
        CHECK(fclose(f) == 0);
    powermetrics_end(p);
    CHECK_INT(powermetrics_damaged(p), 0);
    powermetrics_free(p);
}

static void m4max(void)
{
    feed_file("m4max-full.plist");
    CHECK_INT(got_count, 1);
    CHECK_TEXT(got[0].model, "Mac16,5");
    CHECK_TEXT(got[0].thermal_pressure, "Nominal");
    CHECK_REAL(got[0].elapsed_seconds, 1.023685416);
    CHECK_REAL(got[0].cpu_joules, 3.049);
    CHECK_REAL(got[0].gpu_joules, 0.276); /* not the GPU's own */
    CHECK_REAL(got[0].gpu_own_joules, 0.284);
    CHECK_REAL(got[0].ane_joules, 0);
    CHECK_REAL(got[0].cpu_watts, 2.97845);
    CHECK_REAL(got[0].gpu_watts, 0.269614);
    CHECK_REAL(got[0].combined_watts, 3.24807);
    CHECK(fabs(got[0].cpu_joules / got[0].elapsed_seconds - got[0].cpu_watts) <
            1e-5);
    CHECK_REAL(got[0].gpu_hertz, 338e6);
    CHECK_REAL(got[0].gpu_busy_ratio, 1 - 0.877343);
    CHECK_INT(got[0].cluster_count, 3);
    CHECK_TEXT(got[0].cluster[0].name, "E-Cluster");
    CHECK_TEXT(got[0].cluster[1].name, "P0-Cluster");
    CHECK_TEXT(got[0].cluster[2].name, "P1-Cluster");
    CHECK_REAL(got[0].cluster[0].hertz, 1.15444e9);
    CHECK_REAL(got[0].cluster[0].busy_ratio, 1 - 0.47032);
    CHECK_INT(got[0].cpu_count, 16);
    CHECK_REAL(got[0].cpu[0].busy_ratio, 1 - 0.680539);
    CHECK_TEXT(task_name, "2.1.15");
    CHECK_REAL(pid, 55249);
}

static void gpu_only(void)
{
    feed_file("gpu_power.xml");
    CHECK_INT(got_count, 1);
    CHECK_TEXT(got[0].model, "Mac16,8");
    CHECK_REAL(got[0].gpu_busy_ratio, 1 - 0.995324);
    CHECK_REAL(got[0].gpu_hertz, 338e6);
    CHECK_ABSENT(got[0].cpu_watts);

    feed_file("gpu_power_multiple_samples.xml");
    CHECK_INT(got_count, 5);
    CHECK_REAL(got[0].gpu_busy_ratio, 1 - 0.982517);
    for (size_t i = 0; i < got_count; i++)
        CHECK(got[i].gpu_busy_ratio >= 0 && got[i].gpu_busy_ratio <= 1);
}

static void parts(void)
{
    feed_file("socpower.plist");
    CHECK_INT(got_count, 1);
    CHECK_REAL(got[0].cpu_watts, 9.92435);
    CHECK_REAL(got[0].gpu_watts, 0.169958);
    CHECK_REAL(got[0].combined_watts, 10.0943);
    CHECK_REAL(got[0].gpu_busy_ratio, 1 - 0.901357);

    feed_file("thermalthrottling.plist");
    CHECK_INT(got_count, 1);
    CHECK_TEXT(got[0].thermal_pressure, "Nominal");
    CHECK_ABSENT(got[0].gpu_busy_ratio);

    feed_file("energyimpact.plist");
    CHECK_INT(got_count, 1);
    CHECK_INT(got[0].task_count, 3);
    CHECK_TEXT(task_name, "Safari");
    CHECK_REAL(pid, 1234);
    CHECK(energy_impact > 0);
}

static void texts(void)
{
    feed_file("m4max-text.log");
    CHECK_INT(got_count, 1);
    CHECK_REAL(got[0].elapsed_seconds, 5.02196);
    CHECK_REAL(got[0].cpu_watts, 0.954);
    CHECK_REAL(got[0].gpu_watts, 0.028);
    CHECK_REAL(got[0].ane_watts, 0);
    CHECK_REAL(got[0].combined_watts, 0.983);
    CHECK_INT(got[0].cluster_count, 3);
    CHECK_REAL(got[0].cluster[1].hertz, 2507e6);
    CHECK_REAL(got[0].cluster[1].busy_ratio, 0.0588);

    feed_file("m1max-text-all.txt");
    CHECK_INT(got_count, 1);
    CHECK_TEXT(got[0].model, "MacBookPro18,2");
    CHECK_REAL(got[0].cpu_watts, 0.044);
    CHECK_REAL(got[0].gpu_watts, 0.010);
    CHECK_REAL(got[0].combined_watts, 0.054);
    CHECK_REAL(got[0].gpu_hertz, 418e6);
    CHECK_REAL(got[0].gpu_busy_ratio, 0.0122);
    CHECK_REAL(got[0].battery_charge_ratio, 1);
    CHECK_INT(got[0].cpu_count, 10);
    CHECK_TEXT(got[0].thermal_pressure, "Nominal");
}

int main(void)
{
    if (!recorded_there())
        return 77;
    m4max();
    gpu_only();
    parts();
    texts();
    return test_result();
}
