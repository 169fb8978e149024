/* NVIDIA GPUs, on a made-up NVML.  Arguments: the library as of today, as of
 * an old driver, and one that is unusable. */
#include "sample/device/device_samplers.h"

#include "driven.h"
#include "fake_nvml.h"
#include "sample/device/nvml_processes.h"
#include "tree.h"

#include <errno.h>

#define SECOND          1000000000ull
#define GPU(metric)     driven_value(s, METRIC_device_##metric, "gpu0")
#define MISSING(metric) driven_missing(s, METRIC_device_##metric, "gpu0")

static const char *today, *old, *broken;
static struct tree machine;
static struct dl *held; /* so that what a test set stays */

/* What the library is to say.  It stays loaded until the next call. */
static struct fake_nvml *use(const char *library)
{
    struct error e = { 0 };

    dl_close(held);
    held = NULL;
    CHECK(setenv("ORTMETER_NVML", library, 1) == 0);
    CHECK_INT(dl_open(&held, library, &e), 0);

    dl_function symbol = held ? dl_find(held, "fake_nvml") : NULL;
    struct fake_nvml *f;

    memcpy(&f, &symbol, sizeof(f));
    CHECK(f != NULL);
    if (!f)
        exit(1);
    *f = (struct fake_nvml){
        .gpus = 1,
        .gpu_percent = 73,
        .memory_percent = 41,
        .encoder_percent = 5,
        .decoder_percent = 7,
        .memory_total = 24ull << 30,
        .memory_reserved = 400 << 20,
        .memory_used = 3ull << 30,
        .power_now_mw = 251500,
        .power_mean_mw = 240000,
        .power_limit_mw = 450000,
        .energy_mj = 123456789,
        .celsius = 67,
        .sm_mhz = 2520,
        .memory_mhz = 10501,
        .process_bytes = 24,
    };
    return f;
}

static struct driven *open_and_read(void)
{
    struct driven *s = driven_open(&sampler_nvml, machine.root);

    CHECK_INT(s->rc, 0);
    if (s->rc)
        (void)fprintf(stderr, "  %s\n", s->error.text);
    driven_read(s, SECOND);
    return s;
}

static void values(void)
{
    struct fake_nvml *f = use(today);

    f->reasons = 0x4 | 0x1;

    struct driven *s = open_and_read();

    CHECK_TEXT(subjects_get(s->subjects, 1)->detail,
            "NVIDIA GeForce RTX 0, nvidia, 0000:01:00.0");
    CHECK_REAL(GPU(utilization_ratio), 0.73);
    CHECK_REAL(GPU(memory_utilization_ratio), 0.41);
    CHECK_REAL(GPU(memory_used_bytes), 3.0 * (1 << 30));
    CHECK_REAL(GPU(memory_total_bytes), 24.0 * (1 << 30));
    CHECK_REAL(GPU(power_watts), 251.5);
    CHECK_REAL(GPU(power_limit_watts), 450);
    CHECK_REAL(GPU(energy_joules_total), 123456.789);
    CHECK_REAL(GPU(temperature_celsius), 67);
    CHECK_REAL(GPU(clock_hertz), 2520e6);
    CHECK_REAL(GPU(memory_clock_hertz), 10501e6);
    CHECK_REAL(GPU(encoder_utilization_ratio), 0.05);
    CHECK_REAL(GPU(decoder_utilization_ratio), 0.07);
    CHECK_REAL(GPU(throttled_ratio), 1);
    CHECK_REAL(GPU(throttled_power_ratio), 1);
    CHECK_REAL(GPU(throttled_thermal_ratio), 0);
    CHECK_ABSENT(GPU(sm_occupancy_ratio));
    CHECK_TEXT(MISSING(sm_occupancy_ratio), "NVML: Not Supported");

    /* Idle, or clocks that somebody set, is not throttling. */
    f->reasons = 0x1 | 0x2;
    driven_read(s, 2 * SECOND);
    CHECK_REAL(GPU(throttled_ratio), 0);
    f->reasons = 0x40;
    f->celsius = -3; /* cold, and told as such */
    driven_read(s, 3 * SECOND);
    CHECK_REAL(GPU(throttled_thermal_ratio), 1);
    CHECK_REAL(GPU(temperature_celsius), -3);
    driven_close(s);
    CHECK_INT(f->begun, 0);
}

/* Bytes so far become bytes a second; the call that takes long is not made. */
static void pcie(void)
{
    struct fake_nvml *f = use(today);
    struct driven *s = open_and_read();

    CHECK_ABSENT(GPU(pcie_sent_bytes_per_second));
    f->pcie_sent = 1500000;
    f->pcie_received = 300;
    driven_read(s, SECOND * 3 / 2);
    CHECK_REAL(GPU(pcie_sent_bytes_per_second), 3e6);
    CHECK_REAL(GPU(pcie_received_bytes_per_second), 600);
    f->pcie_sent = 7; /* it wrapped, and nobody knows at what */
    driven_read(s, 2 * SECOND);
    CHECK_ABSENT(GPU(pcie_sent_bytes_per_second));
    CHECK_INT(f->pcie_calls, 0);
    driven_close(s);

    f = use(today);
    f->pcie_rc = NVML_NOT_SUPPORTED;
    f->pcie_kb_per_s[0] = 12;
    f->pcie_kb_per_s[1] = 34;
    s = open_and_read();
    CHECK_INT(f->pcie_calls, 0);
    CHECK_TEXT(MISSING(pcie_sent_bytes_per_second), "NVML: Not Supported");
    driven_close(s);
}

static void gpm(void)
{
    struct fake_nvml *f = use(today);

    f->gpm_supported = 1;
    f->pcie_rc = NVML_NOT_SUPPORTED;
    f->gpm_value[2] = 88;
    f->gpm_value[3] = 51.5;
    f->gpm_value[5] = 12.5;
    f->gpm_value[10] = 64;
    f->gpm_value[20] = 2;
    f->gpm_metric_rc[10] = NVML_NOT_SUPPORTED;

    struct driven *s = open_and_read();

    CHECK_INT(f->gpm_samples, 2);
    CHECK_ABSENT(GPU(sm_active_ratio)); /* one sample is no window */
    driven_read(s, SECOND + SECOND / 20);
    CHECK_ABSENT(GPU(sm_active_ratio)); /* not renewed before 100 ms */
    CHECK_INT(f->gpm_taken, 1);
    driven_read(s, SECOND + SECOND / 10);
    CHECK_REAL(GPU(sm_active_ratio), 0.88);
    CHECK_REAL(GPU(sm_occupancy_ratio), 0.515);
    CHECK_REAL(GPU(tensor_active_ratio), 0.125);
    CHECK_ABSENT(GPU(memory_bandwidth_ratio));
    CHECK_REAL(GPU(pcie_sent_bytes_per_second), 2 * 1048576.0);
    CHECK_TEXT(MISSING(pcie_sent_bytes_per_second), "");
    f->gpm_value[2] = 11;
    driven_read(s, SECOND + 2 * SECOND / 10);
    CHECK_REAL(GPU(sm_active_ratio), 0.11);
    driven_close(s);
    CHECK_INT(f->gpm_samples, 0);
}

/* Each call fails alone: what it tells is absent with NVML's reason, is not
 * asked for again, and the rest is there. */
static void failures(void)
{
    struct fake_nvml *f = use(today);

    f->rc.nvmlDeviceGetUtilizationRates = NVML_NOT_SUPPORTED;
    f->rc.nvmlDeviceGetEncoderUtilization = NVML_NO_PERMISSION;
    f->rc.nvmlDeviceGetMemoryInfo_v2 = NVML_NOT_SUPPORTED;
    f->rc.nvmlDeviceGetTemperatureV = NVML_NOT_SUPPORTED;
    f->rc.nvmlDeviceGetTotalEnergyConsumption = NVML_NOT_SUPPORTED;
    f->power_now_rc = NVML_NOT_SUPPORTED;
    f->rc.nvmlDeviceGetClockInfo = NVML_UNKNOWN;
    f->mig = 1;

    struct driven *s = open_and_read();

    CHECK_ABSENT(GPU(utilization_ratio));
    CHECK(strstr(MISSING(utilization_ratio), "MIG"));
    CHECK_ABSENT(GPU(encoder_utilization_ratio));
    CHECK(strstr(MISSING(encoder_utilization_ratio),
            "Insufficient Permissions"));
    /* The older calls stand in. */
    CHECK_REAL(GPU(memory_used_bytes), 3.0 * (1 << 30) + (400 << 20));
    CHECK_REAL(GPU(temperature_celsius), 67);
    CHECK_REAL(GPU(power_watts), 240);
    CHECK_ABSENT(GPU(energy_joules_total));
    CHECK(strstr(MISSING(energy_joules_total), "Not Supported"));
    CHECK_ABSENT(GPU(clock_hertz));
    CHECK_TEXT(MISSING(clock_hertz), ""); /* it may come back */
    CHECK_REAL(GPU(decoder_utilization_ratio), 0.07);

    f->rc.nvmlDeviceGetUtilizationRates = 0;
    f->rc.nvmlDeviceGetClockInfo = 0;
    driven_read(s, 2 * SECOND);
    CHECK_ABSENT(GPU(utilization_ratio));
    CHECK_REAL(GPU(clock_hertz), 2520e6);
    driven_close(s);
}

/* An old driver lacks calls, and says so; what it has is told. */
static void old_driver(void)
{
    struct fake_nvml *f = use(old);

    f->reasons = 0x8;

    struct driven *s = open_and_read();

    CHECK_REAL(GPU(memory_used_bytes), 3.0 * (1 << 30) + (400 << 20));
    CHECK_REAL(GPU(power_watts), 240);
    CHECK_REAL(GPU(temperature_celsius), 67);
    CHECK_REAL(GPU(throttled_ratio), 1);
    CHECK_REAL(GPU(energy_joules_total), 123456.789);
    CHECK_ABSENT(GPU(pcie_sent_bytes_per_second));
    CHECK_TEXT(MISSING(pcie_sent_bytes_per_second), "NVML: Not Supported");
    CHECK(strstr(MISSING(sm_occupancy_ratio), "Not Supported"));
    driven_close(s);
}

/* One of two GPUs is lost: it ends, with a reason, and the other goes on. */
static void lost(void)
{
    struct fake_nvml *f = use(today);

    f->gpus = 2;

    struct driven *s = open_and_read();
    size_t before = s->batch.count;

    CHECK_INT(subjects_count(s->subjects), 3);
    f->lost[0] = true;
    driven_read(s, 2 * SECOND);
    CHECK(s->batch.count >= before / 2);
    CHECK_ABSENT(GPU(utilization_ratio));
    CHECK_ABSENT(GPU(power_watts));
    CHECK_REAL(driven_value(s, METRIC_device_power_watts, "gpu1"), 251.5);
    CHECK_INT(subjects_ended_ns(s->subjects, driven_subject(s, "gpu0")),
            2 * SECOND);
    CHECK_INT(subjects_ended_ns(s->subjects, driven_subject(s, "gpu1")), 0);
    CHECK(strstr(MISSING(power_watts), "GPU is lost"));
    f->lost[0] = false; /* its handle is stale all the same */
    driven_read(s, 3 * SECOND);
    CHECK_ABSENT(GPU(power_watts));
    driven_close(s);
}

/* Entries of 24 bytes, of 32 as some drivers write them, and of 16. */
static void processes(void)
{
    static const struct {
        bool old;
        unsigned bytes;
    } kinds[] = { { false, 24 }, { false, 32 }, { true, 16 } };

    for (size_t k = 0; k < LEN(kinds); k++) {
        struct fake_nvml *f = use(kinds[k].old ? old : today);
        struct nvml_process got[NVML_PROCESSES];
        struct nvml n = { 0 };
        struct nvml_device *d;
        struct error e;
        size_t count = 99;

        CHECK_INT(nvml_begin(&n, kinds[k].old ? old : today, &e), 0);
        CHECK_INT(n.nvmlDeviceGetHandleByIndex_v2(0, &d), 0);
        f->process_bytes = kinds[k].bytes;
        CHECK_INT(nvml_processes(&n, d, got, NVML_PROCESSES, &count), 0);
        CHECK_INT(count, 0);
        f->process_count = 3;
        f->pid[0] = 41;
        f->process_memory[0] = 1 << 30;
        f->pid[1] = 42;
        f->process_memory[1] = UINT64_MAX; /* not told */
        f->pid[2] = 43;
        f->process_memory[2] = 7;
        f->graphics_count = 2;
        f->graphics_pid[0] = 41; /* it draws, too: not twice */
        f->graphics_memory[0] = 1 << 30;
        f->graphics_pid[1] = 44;
        f->graphics_memory[1] = 5;
        CHECK_INT(nvml_processes(&n, d, got, NVML_PROCESSES, &count), 0);
        CHECK_INT(count, kinds[k].old ? 2 : 3);
        CHECK_INT(got[0].pid, 41);
        CHECK_INT(got[0].bytes, 1 << 30);
        CHECK_INT(got[1].pid, 43);
        CHECK_INT(got[1].bytes, 7);
        CHECK_INT(nvml_processes(&n, d, got, 1, &count), 0);
        CHECK_INT(count, 1);
        f->rc.nvmlDeviceGetComputeRunningProcesses = NVML_NO_PERMISSION;
        f->rc.nvmlDeviceGetComputeRunningProcesses_v3 = NVML_NO_PERMISSION;
        CHECK_INT(nvml_processes(&n, d, got, 1, &count), NVML_NO_PERMISSION);
        nvml_end(&n);
    }
}

/* Memory of the processes that are looked at, on all GPUs together. */
static void process_memory(void)
{
    struct fake_nvml *f = use(today);
    uint64_t pid = 41;

    f->gpus = 2;
    f->process_count = 2;
    f->pid[0] = 41;
    f->process_memory[0] = 1000;
    f->pid[1] = 99; /* nobody of ours */
    f->process_memory[1] = 5;

    struct driven *s = driven_open_on(&sampler_nvml, machine.root, &pid, 1);

    CHECK_INT(s->rc, 0);
    driven_read(s, SECOND);
    CHECK_REAL(driven_value(s, METRIC_process_device_memory_bytes, "onnx app"),
            2000);
    driven_close(s);
}

static void check_refusal(const char *root, int rc, const char *words)
{
    struct driven *s = driven_open(&sampler_nvml, root);

    CHECK_INT(s->rc, rc);
    CHECK(strstr(s->error.text, words) != NULL);
    if (!strstr(s->error.text, words))
        (void)fprintf(stderr, "  %s\n", s->error.text);
    CHECK_INT(subjects_count(s->subjects), 1);
    driven_close(s);
}

static void refusals(void)
{
    struct tree without = tree_open();
    struct fake_nvml *f = use(today);

    /* No driver: the library is not even begun. */
    check_refusal(without.root, -ENODEV, "NVIDIA's driver is not loaded");
    CHECK_INT(f->begun, 0);
    tree_close(&without);

    f->rc.nvmlInit_v2 = 18;
    check_refusal(machine.root, -ENODEV, "version mismatch");
    f->rc.nvmlInit_v2 = NVML_NO_PERMISSION;
    check_refusal(machine.root, -EACCES, "Insufficient Permissions");
    f->rc.nvmlInit_v2 = 0;
    f->gpus = 0;
    check_refusal(machine.root, -ENODEV, "no GPU for us");
    f->rc.nvmlDeviceGetCount_v2 = NVML_UNKNOWN;
    check_refusal(machine.root, -ENODEV, "Unknown Error");
    CHECK_INT(f->begun, 0);

    CHECK(setenv("ORTMETER_NVML", broken, 1) == 0);
    check_refusal(machine.root, -ENOSYS, "lacks nvmlDeviceGetHandleByIndex_v2");
    CHECK(setenv("ORTMETER_NVML", "libnvidia-none.so.1", 1) == 0);
    check_refusal(machine.root, -ENODEV,
            "driver 550.54.14 is loaded, but there is no libnvidia-none.so.1");
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    today = argv[1];
    old = argv[2];
    broken = argv[3];
    machine = tree_open();
    tree_put(&machine, "proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu "
            "Feb 22 01:44:30 UTC 2024\n");
    tree_put(&machine, "proc/41/stat",
            "41 (onnx app) S 1 41 41 0 -1 4194560 1 0 0 0 5 3 0 0 20 0 1 0 "
            "100 1000 10 18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 "
            "0 0 0 0 0 0 0 0 0 0 0 0\n");
    tree_put(&machine, "proc/41/statm", "1 1 1 1 0 1 0\n");
    tree_put(&machine, "proc/stat", "cpu 0 0 0 0\nbtime 1700000000\n");
    values();
    pcie();
    gpm();
    failures();
    old_driver();
    lost();
    processes();
    process_memory();
    refusals();
    dl_close(held);
    tree_close(&machine);
    return test_result();
}
