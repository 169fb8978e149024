/* Streams that are made up: cut anywhere, damaged, with every trap. */
#include "sample/power/powermetrics.h"

#include "driven.h"

static struct powermetrics_sample got[16];
static size_t got_count;

static void keep(void *context, const struct powermetrics_sample *s)
{
    CHECK(context == got);
    if (got_count < 16) {
        got[got_count] = *s;
        got[got_count++].task = NULL;
    }
}

/* Fed in pieces of `step` bytes; returns how many documents were damaged. */
static uint64_t feed(const char *bytes, size_t len, size_t step)
{
    struct powermetrics *p = powermetrics_new(keep, got);

    got_count = 0;
    for (size_t at = 0; at < len; at += step)
        powermetrics_feed(p, bytes + at, len - at < step ? len - at : step);
    powermetrics_end(p);

    uint64_t damaged = powermetrics_damaged(p);

    powermetrics_free(p);
    return damaged;
}

#define HEAD                                                  \
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"            \
    "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" " \
    "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"   \
    "<plist version=\"1.0\">\n<dict>\n"
#define TAIL               "</dict>\n</plist>\n"
#define NUMBER(key, value) "<key>" key "</key><real>" value "</real>\n"

static const char lists[] = HEAD NUMBER("elapsed_ns",
        "1000000000") "<key>hw_model</key>"
                      "<string>Mac16,5</string><key>processor</key><dict>"
                      "<key>clusters</key><array><dict><key>name</key>"
                      "<string>E-Cluster</string>" NUMBER("freq_hz",
                              "1.5e+09") NUMBER("idle_ratio",
                              "0.25") NUMBER("down_ratio",
                              "0.5") "<key>cpus</key><array><dict>" NUMBER("cp"
                                                                           "u",
                              "0") NUMBER("freq_hz", "1e9") NUMBER("idle_ratio",
                              "0.9") "</dict></array></dict></array>" NUMBER("c"
                                                                             "p"
                                                                             "u"
                                                                             "_"
                                                                             "e"
                                                                             "n"
                                                                             "e"
                                                                             "r"
                                                                             "g"
                                                                             "y",
                              "954") NUMBER("cpu_power",
                              "954.5") NUMBER("gpu_power",
                              "nan") "</dict>"
                                     "<key>gpu</key><dict>" NUMBER("freq_hz",
                                             "338") NUMBER("idle_ratio",
                                             "0.75") NUMBER("gpu_energy",
                                             "284") "<key>dvfm_states</"
                                                    "key><array><dict>" NUMBER(
                                                            "idle_ratio",
                                                            "0.1") "</dict></"
                                                                   "array></"
                                                                   "dict>" TAIL
                                                                   "\0"
                                                                   "\n" HEAD
                                                                   "<key>gpu</"
                                                                   "key><"
                                                                   "dict"
                                                                   ">" NUMBER(
                                                                           "idl"
                                                                           "e_"
                                                                           "rat"
                                                                           "io",
                                                                           "na"
                                                                           "n") "</dict><key>thermal_pressure</key><string>Heavy</string>" TAIL;

static void property_lists(void)
{
    for (size_t step = 1; step < 400; step += 7) {
        CHECK_INT(feed(lists, sizeof(lists) - 1, step), 0);
        CHECK_INT(got_count, 2);
        CHECK_TEXT(got[0].model, "Mac16,5");
        CHECK_REAL(got[0].elapsed_seconds, 1);
        CHECK_REAL(got[0].cpu_joules, 0.954);
        CHECK_REAL(got[0].cpu_watts, 0.9545);
        CHECK_ABSENT(got[0].gpu_watts);  /* nan */
        CHECK_ABSENT(got[0].gpu_joules); /* the GPU's own figure differs */
        CHECK_ABSENT(got[0].ane_watts);
        CHECK_REAL(got[0].gpu_hertz, 338e6); /* "freq_hz" is in MHz here */
        CHECK_REAL(got[0].gpu_busy_ratio, 0.25);
        CHECK_INT(got[0].cluster_count, 1);
        CHECK_TEXT(got[0].cluster[0].name, "E-Cluster");
        CHECK_REAL(got[0].cluster[0].hertz, 1.5e9); /* and in Hz here */
        CHECK_REAL(got[0].cluster[0].busy_ratio, 0.25);
        CHECK_INT(got[0].cpu_count, 1);
        CHECK_REAL(got[0].cpu[0].hertz, 1e9);
        CHECK_REAL(got[0].cpu[0].busy_ratio, 0.1);
        CHECK_TEXT(got[0].thermal_pressure, "");

        CHECK_ABSENT(got[1].gpu_busy_ratio); /* nan */
        CHECK_ABSENT(got[1].cpu_watts);
        CHECK_INT(got[1].cluster_count, 0);
        CHECK_TEXT(got[1].thermal_pressure, "Heavy");
    }
}

/* Cut short anywhere: only whole documents count. */
static void cut(void)
{
    size_t first = strlen(lists);

    for (size_t len = 0; len < sizeof(lists) - 2; len += 3) {
        uint64_t damaged = feed(lists, len, 4096);
        bool whole = len >= first - 1;

        CHECK_INT(got_count, whole ? 1 : 0);
        CHECK_INT(damaged, len && !whole ? 1 : len > first + 2 ? 1 : 0);
    }
}

static void damaged(void)
{
    static const char bad[] =
            HEAD "<key>x</dict>" TAIL
                 "\0" HEAD NUMBER("elapsed_ns", "5000000000") TAIL
            "\0<plist>\0"
            "<!DOCTYPE a [<!ENTITY b \"b\"><!ENTITY c \"&b;&b;\">]><a>&c;</a>";
    struct buf deep = { 0 };

    CHECK_INT(feed(bad, sizeof(bad) - 1, 11), 2);
    CHECK_INT(got_count, 2);
    CHECK_REAL(got[0].elapsed_seconds, 5);

    /* Deeper than any of powermetrics'. */
    for (int i = 0; i < 1000; i++)
        buf_text(&deep, "<dict>");
    for (int i = 0; i < 1000; i++)
        buf_text(&deep, "</dict>");
    CHECK_INT(feed(deep.p, deep.len, 100), 1);
    CHECK_INT(got_count, 0);
    buf_release(&deep);
}

/* More of everything than there is room for. */
static void much(void)
{
    struct buf b = { 0 };

    buf_text(&b, HEAD "<key>tasks</key><array>");
    for (int i = 0; i < POWERMETRICS_TASKS + 5; i++)
        buf_printf(&b, "<dict>" NUMBER("pid", "%d") "</dict>", i);
    buf_text(&b,
            "</array><key>processor</key><dict><key>clusters</key><array>");
    for (int i = 0; i < POWERMETRICS_CLUSTERS + 5; i++)
        buf_text(&b,
                "<dict>" NUMBER("freq_hz",
                        "1") "<key>name</key><string>"
                             "A</string><key>cpus</key><array><dict>" NUMBER(
                                     "cpu", "1") "</dict><dict></dict><dict></"
                                                 "dict><dict></"
                                                 "dict><dict>" NUMBER("freq_hz",
                                                         "2") "</dict></"
                                                              "array></dict>");
    buf_text(&b, "</array></dict>" TAIL);
    CHECK_INT(feed(b.p, b.len, 1000), 0);
    CHECK_INT(got_count, 1);
    CHECK_INT(got[0].task_count, POWERMETRICS_TASKS);
    CHECK_INT(got[0].cluster_count, POWERMETRICS_CLUSTERS);
    CHECK_INT(got[0].cpu_count, POWERMETRICS_CPUS);
    buf_release(&b);
}

static const char text[] =
        "Machine model: MacBookPro18,2\n"
        "*** Sampled system activity (Sun Sep 14 00:18:55 2025 +0100) "
        "(5037.96ms elapsed) ***\n"
        "Battery: percent_charge: 80\n"
        "E-Cluster Power: 12 mW\n"
        "E-Cluster HW active frequency: 1012 MHz\n"
        "E-Cluster HW active residency:  .43% (600 MHz: .43% 972 MHz:  93%)\n"
        "cpu 0 frequency: 1058 MHz\n"
        "cpu 0 active residency:  17.87% (600 MHz: .09%)\n"
        "CPU Power: 44 mW\nGPU Power: 10 mW\nANE Power: 0 mW\n"
        "DRAM Power: 7 mW\nPackage Power: 61 mW\n"
        "Combined Power (CPU + GPU + ANE): 54 mW\n"
        "Current pressure level: Nominal\n"
        "GPU active residency:   1.22% (389 MHz: 1.1%)\n"
        "GPU HW active frequency: 418 MHz\n"
        "GPU Power: 10 mW\n"
        "CPU die temperature: 98.12 C\n"
        "\n*** Sampled system activity (x) (100.00ms elapsed) ***\n"
        "CPU Power: many mW\nGPU Power: 5 parsecs\n"
        "ANE Power: 3 mW"; /* and no line end */

static void texts(void)
{
    for (size_t step = 1; step < 200; step += 13) {
        CHECK_INT(feed(text, sizeof(text) - 1, step), 0);
        CHECK_INT(got_count, 2);
        CHECK_TEXT(got[0].model, "MacBookPro18,2");
        CHECK_TEXT(got[1].model, "MacBookPro18,2");
        CHECK_REAL(got[0].elapsed_seconds, 5.03796);
        CHECK_REAL(got[0].battery_charge_ratio, 0.8);
        CHECK_INT(got[0].cluster_count, 1);
        CHECK_REAL(got[0].cluster[0].watts, 0.012);
        CHECK_REAL(got[0].cluster[0].hertz, 1012e6);
        CHECK_REAL(got[0].cluster[0].busy_ratio, 0.0043);
        CHECK_INT(got[0].cpu_count, 1);
        CHECK_REAL(got[0].cpu[0].busy_ratio, 0.1787);
        CHECK_REAL(got[0].cpu_watts, 0.044);
        CHECK_REAL(got[0].gpu_watts, 0.010);
        CHECK_REAL(got[0].ane_watts, 0);
        CHECK_REAL(got[0].dram_watts, 0.007);
        CHECK_REAL(got[0].package_watts, 0.061);
        CHECK_REAL(got[0].combined_watts, 0.054);
        CHECK_REAL(got[0].gpu_hertz, 418e6);
        CHECK_REAL(got[0].gpu_busy_ratio, 0.0122);
        CHECK_REAL(got[0].cpu_die_celsius, 98.12);
        CHECK_TEXT(got[0].thermal_pressure, "Nominal");
        CHECK_REAL(got[1].elapsed_seconds, 0.1);
        CHECK_ABSENT(got[1].cpu_watts);
        CHECK_ABSENT(got[1].gpu_watts);
        CHECK_REAL(got[1].ane_watts, 0.003);
        CHECK_TEXT(got[1].thermal_pressure, "");
    }
}

int main(void)
{
    property_lists();
    cut();
    damaged();
    much();
    texts();
    return test_result();
}
