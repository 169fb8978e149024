/* emi.h -- the bytes of Windows' Energy Meter Interface.
 *
 * Metadata is what IOCTL_EMI_GET_METADATA fills, a measurement is what
 * IOCTL_EMI_GET_MEASUREMENT fills (emi.h of the Windows SDK).  Version 1 has
 * one channel, version 2 has several, packed without alignment.  All integers
 * are little-endian. */
#pragma once

#include "energy/zones.h"

#include <stddef.h>
#include <stdint.h>

#define EMI_CHANNELS_MOST 64
#define EMI_NAME_MOST     64

/* Codes of DeviceIoControl(). */
enum {
    EMI_GET_VERSION = 0x224000,
    EMI_GET_METADATA_SIZE = 0x224004,
    EMI_GET_METADATA = 0x224008,
    EMI_GET_MEASUREMENT = 0x22400c,
};

struct emi_channel {
    char name[EMI_NAME_MOST]; /* as UTF-8; cut where it is longer */
};

struct emi_metadata {
    char maker[EMI_NAME_MOST];
    char model[EMI_NAME_MOST];
    unsigned revision;
    struct emi_channel channel[EMI_CHANNELS_MOST];
    unsigned channel_count;
};

struct emi_measurement {
    double joules;    /* since some moment */
    uint64_t time_ns; /* of the meter's own clock */
};

/* -EPROTO: a version that we do not know.  -EINVAL: cut short, or it speaks of
 * more than it has.  -ENOTSUP: a unit other than picowatt-hours.  -E2BIG: more
 * channels than EMI_CHANNELS_MOST. */
int emi_metadata(struct emi_metadata *out, unsigned version, const void *bytes,
        size_t len);

/* One for each channel, in their order.  -EINVAL: too few bytes for them. */
int emi_measurements(struct emi_measurement *out, unsigned count,
        const void *bytes, size_t len);

/* What a channel measures: "RAPL_Package0_PKG" is a package, "..._PP0" its
 * cores, "..._PP1" its GPU, "..._DRAM" memory.  `inside` is set for what a
 * package includes. */
enum zone_part emi_part(const char *channel, bool *inside);
