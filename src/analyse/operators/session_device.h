/* session_device.h -- which device the sessions of a run computed on.
 *
 * It follows from the providers that a session asked for, and from the devices
 * that were sampled during the run.  Where several fit, they are named, with
 * the reason why it cannot be told which it was. */
#pragma once

#include "base/error.h"
#include "sample/device/device_match.h"
#include "store/store.h"

struct session_device_name {
    char *name;   /* "gpu0" */
    char *detail; /* "NVIDIA A100, nvidia, 0000:02:00.0"; NULL: none */
};

/* Zeroed: the CPU, or nothing is known of the providers. */
struct session_device {
    enum device_match_kind kind;
    struct session_device_name *devices; /* that fit */
    size_t count;
    char *reason; /* why it is not known; NULL: it is */
};

struct summary;

/* Fills in the device of each session of the summary. */
int session_devices_read(struct summary *s, struct store *store, int64_t run,
        struct error *e);
void session_device_release(struct session_device *d);
