#include "os/host.h"

#include "base/compiler.h"
#include "os/kernel_text.h"
#include "tree.h"

#include <errno.h>

#define CHECK_TEXT(got, want) CHECK(strcmp(got, want) == 0)

static const char x86_cpu[] = "processor\t: %d\n"
                              "vendor_id\t: GenuineIntel\n"
                              "model name\t: Intel(R) Xeon(R) CPU @ 2.0GHz\n"
                              "cpu MHz\t\t: 2000.000\n"
                              "flags\t\t: fpu vme hypervisor sse\n"
                              "\n";

/* Two sockets of one core with two threads each; CPU 4 is off line. */
static void put_cpus(const struct tree *t)
{
    static const struct {
        const char *name;
        const char *text[4];
    } files[] = {
        { "topology/thread_siblings_list", { "0,2", "1,3", "0,2", "1,3" } },
        { "topology/core_siblings_list", { "0,2", "1,3", "0,2", "1,3" } },
        { "cache/index0/level", { "1", "1", "1", "1" } },
        { "cache/index0/type", { "Data", "Data", "Data", "Data" } },
        { "cache/index0/size", { "32K", "48K", "32K", "48K" } },
        { "cache/index0/shared_cpu_list", { "0,2", "1,3", "0,2", "1,3" } },
        { "cache/index1/level", { "3", "3", "3", "3" } },
        { "cache/index1/type", { "Unified", "Unified", "Unified", "Unified" } },
        { "cache/index1/size", { "16384K", "16384K", "16384K", "16384K" } },
        { "cache/index1/shared_cpu_list", { "0-3", "0-3", "0-3", "0-3" } },
        { "cpufreq/cpuinfo_max_freq",
                { "3200000", "4100500", "3200000", "4100500" } },
    };
    char text[2048] = "";
    char name[128];
    size_t len = 0;

    for (int cpu = 0; cpu < 4; cpu++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, x86_cpu, cpu);
        for (size_t i = 0; i < LEN(files); i++) {
            (void)snprintf(name, sizeof(name),
                    "sys/devices/system/cpu/cpu%d/%s", cpu, files[i].name);
            tree_put(t, name, files[i].text[cpu]);
        }
    }
    tree_put(t, "proc/cpuinfo", text);
    tree_put(t, "sys/devices/system/cpu/online", "0-3\n");
}

static void put_pci(const struct tree *t, const char *address,
        const char *class, const char *vendor, const char *device)
{
    const char *const names[] = { "class", "vendor", "device" };
    const char *const texts[] = { class, vendor, device };
    char name[128];

    for (size_t i = 0; i < LEN(names); i++) {
        (void)snprintf(name, sizeof(name), "sys/bus/pci/devices/%s/%s", address,
                names[i]);
        tree_put(t, name, texts[i]);
    }
}

static void check_machine(void)
{
    struct tree t = tree_open();
    struct host_info h;

    put_cpus(&t);
    tree_put(&t, "proc/sys/kernel/hostname", "box\n");
    tree_put(&t, "proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
    tree_put(&t, "proc/sys/kernel/arch", "x86_64\n");
    tree_put(&t, "proc/meminfo",
            "MemTotal:       24682416 kB\nMemFree:   1 kB\n"
            "MemAvailable:          0 kB\n");
    tree_put(&t, "etc/os-release",
            "NAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\n"
            "VERSION='12 (\\\"bookworm\\\")'\n");
    tree_put(&t, "sys/class/dmi/id/sys_vendor", "QEMU\n");
    tree_put(&t, "sys/class/dmi/id/product_name", "System Product Name\n");
    host_read(&h, t.root);
    CHECK_TEXT(h.hostname, "box");
    CHECK_TEXT(h.kernel, "6.1.0-18-amd64");
    CHECK_TEXT(h.architecture, "x86_64");
    CHECK_TEXT(h.os_name, "Debian GNU/Linux");
    CHECK_TEXT(h.os_version, "12 (\"bookworm\")");
    CHECK_TEXT(h.vendor, "QEMU");
    CHECK_TEXT(h.product, ""); /* the maker's filler */
    CHECK_TEXT(h.virtualisation, "qemu");
    CHECK_TEXT(h.cpu_model, "Intel(R) Xeon(R) CPU @ 2.0GHz");
    CHECK_TEXT(h.cpu_vendor, "GenuineIntel");
    CHECK_INT(h.cpu_sockets, 2);
    CHECK_INT(h.cpu_cores, 2);
    CHECK_INT(h.cpu_threads, 4);
    CHECK_INT(h.cpu_max_mhz, 4100);
    CHECK_INT(h.cache_count, 2);
    CHECK_INT(h.cache[0].count, 2);
    CHECK_INT(h.cache[0].total_bytes, (32 + 48) << 10);
    CHECK_INT(h.cache[1].level, 3);
    CHECK_INT(h.cache[1].count, 1);
    CHECK_TEXT(h.cache[1].type, "Unified");
    CHECK_INT(h.memory_total_bytes, INT64_C(24682416) << 10);
    CHECK(h.memory_available_known && h.memory_available_bytes == 0);
    CHECK_INT(h.accelerator_count, 0);
    tree_close(&t);
}

static void check_accelerators(void)
{
    struct tree t = tree_open();
    struct host_info h;

    put_pci(&t, "0000:00:01.0", "0x030000\n", "0x1a03\n", "0x2000\n"); /* BMC */
    put_pci(&t, "0000:00:02.0", "0x030000\n", "0x8086\n", "0xe20b\n");
    put_pci(&t, "0000:00:0b.0", "0x120000\n", "0x8086\n", "0x643e\n");
    put_pci(&t, "0000:00:1f.0", "0x060100\n", "0x8086\n", "0x1234\n");
    put_pci(&t, "0000:01:00.0", "0x030200\n", "0x10de\n", "0x2684\n");
    put_pci(&t, "0000:02:00.0", "0x120000\n", "0x1002\n", "0x74a1\n");
    put_pci(&t, "0000:03:00.1", "0x118000\n", "0x1022\n", "0x17f0\n");
    put_pci(&t, "0000:04:00.0", "0x120000\n", "0x10ee\n", "0x5020\n");
    tree_link(&t, "sys/bus/pci/devices/0000:01:00.0/driver",
            "../../../bus/pci/drivers/nvidia");
    tree_link(&t, "sys/bus/pci/devices/0000:00:02.0/driver", "../drivers/xe");
    tree_put(&t, "sys/bus/pci/devices/0000:00:02.0/drm/card0/dev", "226:0\n");
    tree_put(&t, "sys/bus/pci/devices/0000:00:02.0/drm/renderD128/dev", "\n");
    tree_put(&t, "proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.261.03  "
            "Thu Jan  1\nGCC version:  gcc 12.2.0\n");
    tree_put(&t, "proc/driver/nvidia/gpus/0000:01:00.0/information",
            "Model: \t\t NVIDIA GeForce RTX 4090\nIRQ:   \t\t 31\n");
    tree_put(&t, "usr/share/misc/pci.ids",
            "# comment\n1002  Advanced Micro Devices\n\t74a1  Aqua Vanjaram\n"
            "8086  Intel Corporation\n\t643e  Lunar Lake NPU\n"
            "\t\te20b 0001  a board\n\te20b  Battlemage G21 [Arc B580]\n");
    tree_put(&t, "sys/class/drm/renderD129/dev", "226:129\n");
    tree_put(&t, "sys/class/drm/renderD129/device/of_node/compatible",
            "arm,mali-valhall-csf");
    tree_link(&t, "sys/class/drm/renderD129/device/driver", "../panthor");
    tree_put(&t, "sys/class/drm/renderD130/dev", "226:130\n");
    tree_put(&t, "sys/class/drm/renderD130/device/uevent", "");
    tree_link(&t, "sys/class/drm/renderD130/device/driver", "../virtio_gpu");

    host_read(&h, t.root);
    CHECK_INT(h.accelerator_count, 7);

    const struct host_accelerator *a = h.accelerator;

    CHECK_TEXT(a[0].name, "Battlemage G21 [Arc B580]");
    CHECK_TEXT(a[0].vendor, "Intel");
    CHECK_TEXT(a[0].driver, "xe");
    CHECK_TEXT(a[0].driver_version, "");
    CHECK_TEXT(a[0].node, "/dev/dri/renderD128");
    CHECK_TEXT(a[0].pci_id, "8086:e20b");
    CHECK_TEXT(a[0].path, "/sys/bus/pci/devices/0000:00:02.0");
    CHECK_INT(a[1].kind, HOST_NPU);
    CHECK_TEXT(a[1].name, "Lunar Lake NPU");
    CHECK_TEXT(a[1].driver, "");
    CHECK_INT(a[2].kind, HOST_GPU);
    CHECK_TEXT(a[2].name, "NVIDIA GeForce RTX 4090");
    CHECK_TEXT(a[2].driver_version, "535.261.03");
    CHECK_INT(a[3].kind, HOST_GPU); /* an Instinct, of the other class */
    CHECK_INT(a[4].kind, HOST_NPU);
    CHECK_TEXT(a[4].name, "");
    CHECK_INT(a[5].kind, HOST_OTHER);
    CHECK_TEXT(a[6].name, "arm,mali-valhall-csf");
    CHECK_TEXT(a[6].node, "/dev/dri/renderD129");
    tree_close(&t);
}

/* No file at all: everything is absent, and it is said so by silence. */
static void check_nothing(void)
{
    struct tree t = tree_open();
    struct host_info h;
    struct buf text = { 0 };
    struct json j = json_line_into(&text);

    host_read(&h, t.root);
    host_json(&j, NULL, &h);
    CHECK_TEXT(buf_cstr(&text),
            "{\"cpu\":{},\"memory\":{},\"accelerators\":[]}");
    buf_release(&text);
    tree_close(&t);
}

/* This machine: what any Linux tells. */
static void check_here(void)
{
    struct host_info h;

    host_read(&h, "");
    CHECK(h.kernel[0] && h.architecture[0]);
    CHECK(h.cpu_threads > 0 && h.cpu_threads >= h.cpu_cores);
    CHECK(h.cpu_cores >= h.cpu_sockets);
    CHECK(h.memory_available_known);
    CHECK(h.memory_total_bytes > h.memory_available_bytes);
}

static const struct {
    const char *text;
    int rc;
    uint64_t bytes;
} sizes[] = {
    { "24682416 kB", 0, UINT64_C(24682416) << 10 },
    { "32K\n", 0, 32 << 10 },
    { "8M", 0, 8 << 20 },
    { "0", 0, 0 },
    { "", -EINVAL, 7 },
    { "K", -EINVAL, 7 },
    { "12 apples", -EINVAL, 7 },
    { "18446744073709551615 kB", -ERANGE, 7 },
    { "99999999999999999999", -ERANGE, 7 },
};

static const struct {
    const char *list;
    int ranges;
    uint64_t sum; /* of all ends */
} lists[] = {
    { "0-3,8,10-11\n", 3, 0 + 3 + 8 + 8 + 10 + 11 },
    { "5", 1, 10 },
    { "", 0, 0 },
    { "3-1", 0, 0 },
    { "1,,2", 1, 2 },
    { "1-2-3", 0, 0 },
};

/* The same device id may be another vendor's too. */
static void check_pci_names(void)
{
    static const char ids[] = "1002  AMD\n\t0001  one\n\t\t1002 0002  no\n"
                              "10de  NVIDIA\n\t0002  two\nC 03  Display\n";
    struct pci_names one =
            text_pci_names(str_of(ids), str_of("1002"), str_of("0001"));
    struct pci_names none =
            text_pci_names(str_of(ids), str_of("1002"), str_of("0002"));

    CHECK(str_is(one.vendor, "AMD") && str_is(one.device, "one"));
    CHECK(str_is(none.vendor, "AMD") && str_is(none.device, ""));
}

static void check_parsers(void)
{
    for (size_t i = 0; i < LEN(sizes); i++) {
        uint64_t bytes = 7;

        CHECK_INT(text_size(&bytes, str_of(sizes[i].text)), sizes[i].rc);
        CHECK_INT(bytes, sizes[i].bytes);
    }
    for (size_t i = 0; i < LEN(lists); i++) {
        struct str rest = str_of(lists[i].list);
        uint64_t first, last, sum = 0;
        int ranges = 0;

        for (; text_cpu_range(&rest, &first, &last); ranges++)
            sum += first + last;
        CHECK_INT(ranges, lists[i].ranges);
        CHECK_INT(sum, lists[i].sum);
    }

    struct cpuinfo arm = text_cpuinfo(str_of("processor\t: 0\n"
                                             "CPU implementer\t: 0x41\n"
                                             "CPU part\t: 0xd0c\n\n"
                                             "processor\t: 1"));

    CHECK_INT(arm.threads, 2);
    CHECK(str_is(arm.part, "0xd0c") && !arm.model.len && !arm.hypervisor);
}

int main(void)
{
    check_parsers();
    check_pci_names();
    check_machine();
    check_accelerators();
    check_nothing();
    check_here();
    return test_result();
}
