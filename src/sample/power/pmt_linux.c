/* pmt_linux.c -- layouts as in the files of github.com/intel/Intel-PMT. */
#include "sample/power/pmt.h"

#include "base/compiler.h"
#include "os/path.h"
#include "sample/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define JOULES_U18_14 (1.0 / 16384)

static const struct {
    const char *guid;
    long offset; /* of VPU_ENERGY, whose lower 32 bits count */
    double joules;
} layouts[] = {
    { "0x130670b2", 0x628, JOULES_U18_14 },      /* Meteor Lake */
    { "0x1306a0b2", 0x628, JOULES_U18_14 },      /* Arrow Lake */
    { "0x1306a0b3", 0x628, JOULES_U18_14 },      /* Arrow Lake */
    { "0x1306a0b4", 0x628, JOULES_U18_14 },      /* Arrow Lake */
    { "0x3072005", 0x5d0, JOULES_U18_14 },       /* Lunar Lake */
    { "0x3086000", 0x670, JOULES_U18_14 },       /* Panther Lake */
    { "0x308d000", 0x670, 100 * JOULES_U18_14 }, /* Wildcat Lake */
};

static int open_block(struct pmt *p, const char *root, const char *name,
        size_t layout)
{
    char path[512];

    (void)snprintf(path, sizeof(path), "%s/sys/class/intel_pmt/%s/telem", root,
            name);

    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    *p = (struct pmt){
        .fd = fd,
        .offset = layouts[layout].offset,
        .joules = layouts[layout].joules,
        .raw = { .wrap = (uint64_t)1 << 32 },
    };
    return 0;
}

int pmt_open(struct pmt *p, const char *root, struct error *e)
{
    struct folder names;
    int rc = -ENODEV;

    (void)folder_read(&names, "%s/sys/class/intel_pmt", root);
    for (size_t i = 0; i < names.count && rc == -ENODEV; i++) {
        char guid[32];

        (void)sysfs_line(guid, sizeof(guid), "%s/sys/class/intel_pmt/%s/guid",
                root, names.name[i]);
        for (size_t l = 0; l < LEN(layouts) && rc == -ENODEV; l++)
            if (strcasecmp(guid, layouts[l].guid) == 0)
                rc = open_block(p, root, names.name[i], l);
    }
    folder_release(&names);
    if (rc == -EACCES)
        return fail(e, rc,
                "Intel's telemetry of the NPU's energy is for root "
                "only");
    return rc ? fail(e, rc,
                        "there is no telemetry of the NPU's energy in "
                        "/sys/class/intel_pmt that we know")
              : 0;
}

bool pmt_read(struct pmt *p, double *joules_total)
{
    unsigned char b[4];

    if (!p->fd || pread(p->fd, b, sizeof(b), p->offset) != sizeof(b))
        return false;

    uint64_t raw = b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 |
                   (uint64_t)b[3] << 24;

    *joules_total = (double)odometer_total(&p->raw, raw) * p->joules;
    return true;
}

void pmt_close(struct pmt *p)
{
    if (p->fd)
        (void)close(p->fd);
    p->fd = 0;
}
