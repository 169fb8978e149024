/* accelerators_linux.c -- what can compute beside the CPU.
 *
 * A PCI device tells its class: 0x03xxxx is a display controller, 0x12xxxx a
 * processing accelerator.  Only some makers' display controllers compute; the
 * others draw a server's console.  Devices that are not on PCI, as in phones
 * and boards, are known by their render or accelerator node.
 *
 * Nothing here is read that wakes a sleeping device. */
#include "os/accelerators.h"

#include "base/alloc.h"
#include "os/file.h"
#include "os/kernel_text.h"
#include "os/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCI_FOLDER    "/sys/bus/pci/devices"
#define PCI_IDS_BYTES ((size_t)4 << 20)

/* What one PCI device's folder says, in hexadecimal. */
struct pci {
    const char *address;         /* "0000:01:00.0" */
    char class[16];              /* "0x030000" */
    char vendor[16], device[16]; /* "0x10de" */
    char driver[32];             /* "" when none is bound */
};

static const struct {
    const char *id;
    const char *name;
    bool computes; /* its display controllers do */
} vendors[] = {
    { "0x10de", "NVIDIA", true },
    { "0x1002", "AMD", true },
    { "0x1022", "AMD", false },
    { "0x8086", "Intel", true },
    { "0x17cb", "Qualcomm", false },
    { "0x1da3", "Habana Labs", false },
    { "0x10ee", "Xilinx", false },
};

/* NPUs by their ids, for where no driver is bound.  AMD's has the class of a
 * signal processor.  From drivers/accel/{ivpu,amdxdna} of Linux 7.2. */
static const struct {
    const char *vendor;
    const char *device;
} npus[] = {
    { "0x8086", "0x7d1d" },
    { "0x8086", "0xad1d" },
    { "0x8086", "0x643e" },
    { "0x8086", "0xb03e" },
    { "0x8086", "0xfd3e" },
    { "0x8086", "0xd71d" },
    { "0x1022", "0x1502" },
    { "0x1022", "0x17f0" },
    { "0x1022", "0x17f2" },
    { "0x1022", "0x17f3" },
    { "0x1022", "0x1b0b" },
    { "0x1022", "0x1b0c" },
};

static void read_line(char *out, size_t cap, const char *root,
        const char *folder, const char *name)
{
    char buf[256];
    int len = file_read(buf, sizeof(buf), "%s%s/%s", root, folder, name);
    struct str text = { buf, len > 0 ? (size_t)len : 0 };

    text_copy(out, cap, str_before(text, '\n'));
}

static struct host_accelerator *add(struct host_info *host)
{
    if (host->accelerator_count == HOST_ACCELERATORS)
        return NULL;
    return &host->accelerator[host->accelerator_count++];
}

static bool is_npu(const struct pci *d)
{
    for (size_t i = 0; i < LEN(npus); i++)
        if (strcmp(d->vendor, npus[i].vendor) == 0 &&
                strcmp(d->device, npus[i].device) == 0)
            return true;
    return strcmp(d->driver, "intel_vpu") == 0 ||
           strcmp(d->driver, "amdxdna") == 0;
}

static bool computes(const struct pci *d)
{
    for (size_t i = 0; i < LEN(vendors); i++)
        if (strcmp(d->vendor, vendors[i].id) == 0)
            return vendors[i].computes;
    return false;
}

/* False: it is no accelerator. */
static bool kind_of(enum host_accelerator_kind *out, const struct pci *d)
{
    bool display = strncmp(d->class, "0x03", 4) == 0;
    bool processing = strncmp(d->class, "0x12", 4) == 0;

    if (is_npu(d))
        *out = HOST_NPU;
    else if (display && computes(d))
        *out = HOST_GPU;
    else if (processing) /* AMD's Instinct cards are of this class */
        *out = strcmp(d->vendor, "0x1002") == 0 ? HOST_GPU : HOST_OTHER;
    else
        return false;
    return true;
}

/* "/dev/dri/renderD128", or the accelerator's node, of a device's folder. */
static void find_node(struct host_accelerator *a, const char *root,
        const char *folder)
{
    static const struct {
        const char *subfolder;
        const char *begin;
        const char *dev;
    } places[] = {
        { "drm", "renderD", "/dev/dri" },
        { "drm", "card", "/dev/dri" },
        { "accel", "accel", "/dev/accel" },
    };

    for (size_t i = 0; i < LEN(places) && !a->node[0]; i++) {
        struct folder names;

        (void)folder_read(&names, "%s%s/%s", root, folder, places[i].subfolder);
        for (size_t n = 0; n < names.count && !a->node[0]; n++)
            if (str_starts(str_of(names.name[n]), places[i].begin))
                (void)snprintf(a->node, sizeof(a->node), "%s/%s", places[i].dev,
                        names.name[n]);
        folder_release(&names);
    }
}

static void find_driver_version(struct host_accelerator *a, const char *root)
{
    char folder[64];
    char buf[512];

    if (!a->driver[0])
        return;
    (void)snprintf(folder, sizeof(folder), "/sys/module/%s", a->driver);
    read_line(a->driver_version, sizeof(a->driver_version), root, folder,
            "version");
    if (a->driver_version[0] || strcmp(a->driver, "nvidia") != 0)
        return;

    int len =
            file_read(buf, sizeof(buf), "%s/proc/driver/nvidia/version", root);

    text_copy(a->driver_version, sizeof(a->driver_version),
            text_nvidia_version(
                    (struct str){ buf, len > 0 ? (size_t)len : 0 }));
}

/* NVIDIA's driver knows the name; for the others there is pciutils' list. */
static void find_name(struct host_accelerator *a, const struct pci *d,
        const char *root, struct str ids)
{
    char buf[2048];
    int len = file_read(buf, sizeof(buf),
            "%s/proc/driver/nvidia/gpus/%s/information", root, d->address);
    struct str information = { buf, len > 0 ? (size_t)len : 0 };
    struct pci_names names =
            text_pci_names(ids, str_of(d->vendor + 2), str_of(d->device + 2));

    for (size_t i = 0; i < LEN(vendors); i++)
        if (strcmp(d->vendor, vendors[i].id) == 0)
            text_copy(a->vendor, sizeof(a->vendor), str_of(vendors[i].name));
    if (!a->vendor[0])
        text_copy(a->vendor, sizeof(a->vendor), names.vendor);
    text_copy(a->name, sizeof(a->name), text_field(information, "Model"));
    if (!a->name[0])
        text_copy(a->name, sizeof(a->name), names.device);
}

static void add_pci(struct host_info *host, const char *root,
        const char *address, struct str ids)
{
    struct pci d = { .address = address };
    char folder[96];
    enum host_accelerator_kind kind;

    (void)snprintf(folder, sizeof(folder), PCI_FOLDER "/%s", address);
    read_line(d.class, sizeof(d.class), root, folder, "class");
    read_line(d.vendor, sizeof(d.vendor), root, folder, "vendor");
    read_line(d.device, sizeof(d.device), root, folder, "device");
    if (strlen(d.vendor) != 6 || strlen(d.device) != 6)
        return;
    (void)path_link_name(d.driver, sizeof(d.driver), "%s%s/driver", root,
            folder);
    if (!kind_of(&kind, &d))
        return;

    struct host_accelerator *a = add(host);

    if (!a)
        return;
    a->kind = kind;
    text_copy(a->driver, sizeof(a->driver), str_of(d.driver));
    text_copy(a->path, sizeof(a->path), str_of(folder));
    (void)snprintf(a->pci_id, sizeof(a->pci_id), "%.4s:%.4s", d.vendor + 2,
            d.device + 2);
    find_name(a, &d, root, ids);
    find_node(a, root, folder);
    find_driver_version(a, root);
}

static void add_all_pci(struct host_info *host, const char *root)
{
    static const char *const lists[] = { "/usr/share/misc/pci.ids",
        "/usr/share/hwdata/pci.ids" };
    char *buf = alloc_zero(1, PCI_IDS_BYTES);
    struct folder devices;
    int len = -1;

    for (size_t i = 0; i < LEN(lists) && len < 0; i++)
        len = file_read(buf, PCI_IDS_BYTES, "%s%s", root, lists[i]);
    (void)folder_read(&devices, "%s" PCI_FOLDER, root);
    for (size_t i = 0; i < devices.count; i++)
        add_pci(host, root, devices.name[i],
                (struct str){ buf, len > 0 ? (size_t)len : 0 });
    folder_release(&devices);
    free(buf);
}

/* A node of /sys/class whose device is not on PCI, which has been seen. */
static void add_node(struct host_info *host, const char *root,
        const char *folder, enum host_accelerator_kind kind)
{
    char driver[32] = "";
    char compatible[HOST_TEXT];

    if (path_readable("%s%s/device/vendor", root, folder) == 0)
        return;
    (void)path_link_name(driver, sizeof(driver), "%s%s/device/driver", root,
            folder);
    /* A virtual display has a render node too; the GPU is the host's. */
    if (!driver[0] || strncmp(driver, "virtio", 6) == 0)
        return;

    struct host_accelerator *a = add(host);

    if (!a)
        return;
    a->kind = kind;
    text_copy(a->driver, sizeof(a->driver), str_of(driver));
    text_copy(a->path, sizeof(a->path), str_of(folder));
    (void)snprintf(a->node, sizeof(a->node), "%s%s",
            kind == HOST_GPU ? "/dev/dri" : "/dev/accel", strrchr(folder, '/'));
    /* A list of names that end with a zero byte, the most exact one first. */
    read_line(compatible, sizeof(compatible), root, folder,
            "device/of_node/compatible");
    (void)snprintf(a->name, sizeof(a->name), "%s", compatible);
    find_driver_version(a, root);
}

static void add_nodes(struct host_info *host, const char *root,
        const char *class, const char *begin, enum host_accelerator_kind kind)
{
    struct folder nodes;

    (void)folder_read(&nodes, "%s%s", root, class);
    for (size_t i = 0; i < nodes.count; i++) {
        char folder[96];

        if (!str_starts(str_of(nodes.name[i]), begin))
            continue;
        (void)snprintf(folder, sizeof(folder), "%s/%s", class, nodes.name[i]);
        add_node(host, root, folder, kind);
    }
    folder_release(&nodes);
}

void accelerators_read(struct host_info *host, const char *root)
{
    add_all_pci(host, root);
    add_nodes(host, root, "/sys/class/drm", "renderD", HOST_GPU);
    add_nodes(host, root, "/sys/class/accel", "accel", HOST_NPU);
}
