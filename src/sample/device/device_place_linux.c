#include "sample/device/device_place.h"

#include "base/alloc.h"
#include "os/accelerators.h"
#include "os/file.h"
#include "os/kernel_text.h"
#include "os/path.h"
#include "sample/device/device_subject.h"
#include "sample/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "card1", but not "card1-DP-1", which is a plug. */
static bool is_node(const char *name, const char *begin)
{
    uint64_t number;
    size_t len = strlen(begin);

    return strncmp(name, begin, len) == 0 &&
           str_u64(&number, str_of(name + len)) == 0;
}

static bool is_listed(const char *driver, const char *const *drivers)
{
    for (; *drivers; drivers++)
        if (strcmp(driver, *drivers) == 0)
            return true;
    return false;
}

/* The device's own words about itself, which are right even where the link to
 * its driver leads nowhere. */
static bool look(struct device_place *out, const char *root, const char *class,
        const char *name)
{
    char text[1024];

    *out = (struct device_place){ 0 };
    (void)snprintf(out->node, sizeof(out->node), "%s/sys/class/%s/%s", root,
            class, name);
    (void)snprintf(out->device, sizeof(out->device), "%s/device", out->node);

    int len = file_read(text, sizeof(text), "%s/uevent", out->device);

    if (len < 0)
        return false;

    struct str all = { text, (size_t)len };

    text_os_release(out->driver, sizeof(out->driver), all, "DRIVER");
    text_os_release(out->pci, sizeof(out->pci), all, "PCI_SLOT_NAME");
    text_os_release(out->pci_id, sizeof(out->pci_id), all, "PCI_ID");
    return true;
}

size_t device_places(struct device_place out[DEVICE_PLACES], const char *root,
        const char *class, const char *begin, const char *const *drivers)
{
    struct folder names;
    size_t count = 0;

    (void)folder_read(&names, "%s/sys/class/%s", root, class);
    for (size_t i = 0; i < names.count && count < DEVICE_PLACES; i++)
        if (is_node(names.name[i], begin) &&
                look(&out[count], root, class, names.name[i]) &&
                is_listed(out[count].driver, drivers))
            count++;
    folder_release(&names);
    return count;
}

bool device_is_awake(const struct device_place *p)
{
    char status[32];

    /* No such file, or "unsupported": it never sleeps. */
    if (sysfs_line(status, sizeof(status), "%s/power/runtime_status",
                p->device))
        return true;
    return strcmp(status, "suspended") != 0 &&
           strcmp(status, "suspending") != 0 && strcmp(status, "resuming") != 0;
}

int device_hwmon(char *out, size_t cap, const struct device_place *p)
{
    struct folder names;
    int rc = -ENOENT;

    (void)folder_read(&names, "%s/hwmon", p->device);
    for (size_t i = 0; i < names.count && rc; i++)
        if (str_starts(str_of(names.name[i]), "hwmon")) {
            int n = snprintf(out, cap, "%s/hwmon/%s", p->device, names.name[i]);

            rc = n < 0 || (size_t)n >= cap ? -ENAMETOOLONG : 0;
        }
    folder_release(&names);
    return rc;
}

/* --- among the subjects --------------------------------------------------- */

static const char *maker(const struct device_place *p)
{
    if (strncmp(p->pci_id, "8086", 4) == 0)
        return "Intel";
    if (strncmp(p->pci_id, "1002", 4) == 0 ||
            strncmp(p->pci_id, "1022", 4) == 0)
        return "AMD";
    return "";
}

/* What pciutils' list calls it, or its PCI id. */
static void find_name(char *out, size_t cap, const char *root,
        const struct device_place *p)
{
    struct host_info *host = alloc_zero(1, sizeof(*host));

    text_copy(out, cap, str_of(p->pci_id));
    accelerators_read(host, root);
    for (unsigned i = 0; i < host->accelerator_count; i++) {
        const struct host_accelerator *a = &host->accelerator[i];

        if (p->pci[0] && a->name[0] &&
                str_is(str_after_last(str_of(a->path), '/'), p->pci))
            text_copy(out, cap, str_of(a->name));
    }
    free(host);
}

uint32_t device_add(struct subjects *s, const char *kind, const char *source,
        const char *root, const struct device_place *p)
{
    char name[HOST_TEXT], detail[256];

    find_name(name, sizeof(name), root, p);
    (void)snprintf(detail, sizeof(detail), "%s %s, %s, %s", maker(p), name,
            p->driver, p->pci);
    return device_subject_add_in(s, p->package, kind, source, detail);
}
