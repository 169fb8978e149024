/* host_linux.c -- see proc(5), os-release(5), and in the kernel's
 * Documentation/ABI: sysfs-devices-system-cpu, sysfs-class-dmi. */
#include "os/host.h"

#include "base/alloc.h"
#include "os/accelerators.h"
#include "os/cpu_topology.h"
#include "os/file.h"
#include "os/kernel_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* /proc/cpuinfo has some 1500 bytes a thread. */
#define CPUINFO_BYTES ((size_t)4 << 20)

static struct str read_text(char *buf, size_t cap, const char *root,
        const char *path)
{
    int len = file_read(buf, cap, "%s%s", root, path);

    return (struct str){ buf, len > 0 ? (size_t)len : 0 };
}

static void read_line(char *out, size_t cap, const char *root, const char *path)
{
    char buf[1024];
    struct str text = read_text(buf, sizeof(buf), root, path);

    text_copy(out, cap, str_before(text, '\n'));
}

/* A line of the firmware's; what makers leave there when they did not fill it
 * in is absent. */
static void read_dmi(char *out, size_t cap, const char *root, const char *path)
{
    static const char *const fillers[] = { "To Be Filled By O.E.M.",
        "To be filled by O.E.M.", "System manufacturer", "System Product Name",
        "Default string", "Not Specified", "None" };

    read_line(out, cap, root, path);
    for (size_t i = 0; i < LEN(fillers); i++)
        if (strcmp(out, fillers[i]) == 0)
            out[0] = 0;
}

static void read_os(struct host_info *h, const char *root)
{
    char buf[8192];
    struct str text = read_text(buf, sizeof(buf), root, "/etc/os-release");

    if (!text.len)
        text = read_text(buf, sizeof(buf), root, "/usr/lib/os-release");
    text_os_release(h->os_name, sizeof(h->os_name), text, "NAME");
    text_os_release(h->os_version, sizeof(h->os_version), text, "VERSION");
    if (!h->os_version[0])
        text_os_release(h->os_version, sizeof(h->os_version), text,
                "VERSION_ID");
}

static void read_kernel(struct host_info *h, const char *root)
{
    struct utsname u;

    read_line(h->hostname, sizeof(h->hostname), root,
            "/proc/sys/kernel/hostname");
    read_line(h->kernel, sizeof(h->kernel), root, "/proc/sys/kernel/osrelease");
    read_line(h->architecture, sizeof(h->architecture), root,
            "/proc/sys/kernel/arch");
    /* That file is new in 6.1; uname() tells of this machine only. */
    if (!h->architecture[0] && !root[0] && uname(&u) == 0)
        text_copy(h->architecture, sizeof(h->architecture), str_of(u.machine));
}

/* Arm's cpuinfo has only numbers: Documentation/arch/arm64/cpu-feature-
 * registers.rst, MIDR_EL1. */
static void name_arm(struct host_info *h, const struct cpuinfo *info)
{
    static const struct {
        const char *code;
        const char *name;
    } makers[] = {
        { "0x41", "Arm" },
        { "0x42", "Broadcom" },
        { "0x43", "Cavium" },
        { "0x46", "Fujitsu" },
        { "0x48", "HiSilicon" },
        { "0x4e", "NVIDIA" },
        { "0x51", "Qualcomm" },
        { "0x53", "Samsung" },
        { "0x61", "Apple" },
        { "0x6d", "Microsoft" },
        { "0xc0", "Ampere" },
    };

    for (size_t i = 0; i < LEN(makers); i++)
        if (str_is(info->vendor, makers[i].code))
            text_copy(h->cpu_vendor, sizeof(h->cpu_vendor),
                    str_of(makers[i].name));
    if (!h->cpu_model[0]) {
        char part[16];

        text_copy(part, sizeof(part), info->part);
        (void)snprintf(h->cpu_model, sizeof(h->cpu_model), "%.64s part %s",
                h->cpu_vendor, part);
    }
}

/* Returns whether the processor says that it is a virtual machine's. */
static bool read_cpuinfo(struct host_info *h, const char *root)
{
    /* Room for hundreds of CPUs; what is not needed is not touched. */
    char *buf = alloc_resize(NULL, CPUINFO_BYTES);
    struct str text = read_text(buf, CPUINFO_BYTES, root, "/proc/cpuinfo");
    struct cpuinfo info = text_cpuinfo(text);

    text_copy(h->cpu_model, sizeof(h->cpu_model), info.model);
    text_copy(h->cpu_vendor, sizeof(h->cpu_vendor), info.vendor);
    h->cpu_threads = info.threads;
    if (info.part.len)
        name_arm(h, &info);
    free(buf);
    return info.hypervisor;
}

static void read_memory(struct host_info *h, const char *root)
{
    char buf[8192];
    struct str text = read_text(buf, sizeof(buf), root, "/proc/meminfo");

    (void)text_size(&h->memory_total_bytes, text_field(text, "MemTotal"));
    h->memory_available_known = text_size(&h->memory_available_bytes,
                                        text_field(text, "MemAvailable")) == 0;
}

/* The kind by what its firmware calls itself, "" if that tells nothing. */
static const char *kind_by_firmware(const struct host_info *h)
{
    static const struct {
        const char *vendor; /* "": any */
        const char *product;
        const char *kind;
    } known[] = {
        { "VMware", "", "vmware" },
        { "innotek GmbH", "", "virtualbox" },
        { "", "VirtualBox", "virtualbox" },
        { "Xen", "", "xen" },
        { "Microsoft Corporation", "Virtual Machine", "hyper-v" },
        { "Parallels", "", "parallels" },
        { "Apple Inc.", "Apple Virtualization", "apple" },
        { "", "KVM", "kvm" },
        { "", "Google Compute Engine", "kvm" },
        { "", "OpenStack", "kvm" },
        { "QEMU", "", "qemu" },
    };

    for (size_t i = 0; i < LEN(known); i++)
        if (strstr(h->vendor, known[i].vendor) &&
                strstr(h->product, known[i].product))
            return known[i].kind;
    return "";
}

/* The kind by the clocks that it offers to its guests. */
static const char *kind_by_clock(const char *root)
{
    char clocks[256];

    read_line(clocks, sizeof(clocks), root,
            "/sys/devices/system/clocksource/clocksource0/"
            "available_clocksource");
    if (strstr(clocks, "kvm-clock"))
        return "kvm";
    if (strstr(clocks, "hyperv"))
        return "hyper-v";
    return strstr(clocks, "xen") ? "xen" : "";
}

static void read_virtualisation(struct host_info *h, const char *root,
        bool hypervisor)
{
    char xen[32];
    const char *kind = strstr(h->kernel, "microsoft") ? "wsl" : "";

    read_line(xen, sizeof(xen), root, "/sys/hypervisor/type");
    /* The clock first: QEMU's firmware has one name with and without KVM. */
    if (!kind[0])
        kind = kind_by_clock(root);
    if (!kind[0])
        kind = kind_by_firmware(h);
    if (!kind[0])
        kind = xen;
    if (!kind[0] && hypervisor)
        kind = "unknown";
    text_copy(h->virtualisation, sizeof(h->virtualisation), str_of(kind));
}

void host_read(struct host_info *out, const char *root)
{
    *out = (struct host_info){ 0 };
    read_kernel(out, root);
    read_os(out, root);
    read_dmi(out->vendor, sizeof(out->vendor), root,
            "/sys/class/dmi/id/sys_vendor");
    read_dmi(out->product, sizeof(out->product), root,
            "/sys/class/dmi/id/product_name");
    /* Boards without DMI, most of them Arm. */
    if (!out->product[0])
        read_line(out->product, sizeof(out->product), root,
                "/proc/device-tree/model");
    read_virtualisation(out, root, read_cpuinfo(out, root));
    cpu_topology_read(out, root);
    read_memory(out, root);
    accelerators_read(out, root);
}
