#include "energy/model.h"
#include "energy/tdp.h"

#include "test.h"

#include <math.h>
#include <string.h>

static void known_processors(void)
{
    static const struct {
        const char *name;
        double watts;
        enum tdp_source source;
    } want[] = {
        { "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz", 150, TDP_COLLECTED },
        { "Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", 120, TDP_COLLECTED },
        { "AMD EPYC 7763 64-Core Processor", 280, TDP_COLLECTED },
        { "AMD Ryzen 7 5800X 8-Core Processor", 105, TDP_COLLECTED },
        { "AMD Ryzen 7 5800H with Radeon Graphics", 45, TDP_COLLECTED },
        { "12th Gen Intel(R) Core(TM) i7-12700K", 125, TDP_COLLECTED },
        { "12th Gen Intel(R) Core(TM) i7-12700H", 45, TDP_COLLECTED },
        { "Intel(R) Core(TM) Ultra 7 155H", 28, TDP_COLLECTED },
        { "Intel(R) Xeon(R) Platinum 8480+", 350, TDP_COLLECTED },
        { "AMD EPYC 9999 1000-Core Processor", 320, TDP_GUESSED },
        { "AMD EPYC", 200, TDP_GUESSED },
        { "Intel(R) Xeon(R) Gold 9999", 175, TDP_GUESSED },
        { "a processor of a later time", 85, TDP_GUESSED },
        { "", 85, TDP_GUESSED },
        { "Intel(R) Core(TM) Ultra 9 288V", 30, TDP_UNCHECKED },
        { "Intel(R) Core(TM) i9-14900K", 125, TDP_UNCHECKED },
    };

    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        struct tdp t = tdp_of(want[i].name);

        CHECK(fabs(t.watts - want[i].watts) < 1e-9);
        CHECK_INT(t.source, want[i].source);
    }
}

static bool near(double got, double want)
{
    return fabs(got - want) < 1e-9;
}

static void uncalibrated(void)
{
    struct host_info h = { .cpu_sockets = 2 };
    struct cpu_model m;

    memcpy(h.cpu_model, "AMD EPYC 7763", 14);
    m = cpu_model_of(&h, &(struct cpu_model_given){ 0 });
    CHECK(near(cpu_model_watts(&m, 0, 1), 0.12 * 560));
    CHECK(near(cpu_model_watts(&m, 1, 1), 0.75 * 560));
    CHECK(near(cpu_model_watts(&m, 0.5, 0.5), 560 * (0.12 + 0.63 / 4)));
    CHECK(near(cpu_model_watts(&m, 7, 7), 0.75 * 560));
    CHECK(near(m.high_factor, 2) && near(m.low_factor, 0.5));
    CHECK(strstr(m.basis, "7763") != NULL);

    /* Less is known of a virtual machine. */
    memcpy(h.virtualisation, "kvm", 4);
    m = cpu_model_of(&h, &(struct cpu_model_given){ 0 });
    CHECK(near(m.high_factor, 3));
    CHECK(near(m.full_watts, 0.75 * 560)); /* of as many threads as it has */
    h.cpu_threads = 4;
    m = cpu_model_of(&h, &(struct cpu_model_given){ 0 });
    CHECK(near(m.full_watts, 0.75 * 12));
    CHECK(strstr(m.basis, "the 4 threads") != NULL);
    m = cpu_model_of(&h, &(struct cpu_model_given){ .tdp_watts = 100 });
    CHECK(near(m.full_watts, 75));

    memcpy(h.cpu_model, "Quux 1", 7);
    h.virtualisation[0] = 0;
    m = cpu_model_of(&h, &(struct cpu_model_given){ 0 });
    CHECK(near(m.high_factor, 3) && strstr(m.basis, "guess"));
    m = cpu_model_of(&h, &(struct cpu_model_given){ .tdp_watts = 100 });
    CHECK(near(m.full_watts, 75) && near(m.high_factor, 2));
}

static void calibrated(void)
{
    struct host_info h = { .cpu_sockets = 1 };
    struct cpu_model m = cpu_model_of(&h,
            &(struct cpu_model_given){ .idle_watts = 20, .full_watts = 100 });

    CHECK(near(cpu_model_watts(&m, 0.25, 1), 40));
    CHECK(near(m.high_factor, 1.2) && near(m.low_factor, 0.8));
}

int main(void)
{
    known_processors();
    uncalibrated();
    calibrated();
    return test_result();
}
