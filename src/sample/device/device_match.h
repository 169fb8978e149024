/* device_match.h -- which device a session's execution providers compute on.
 *
 * A provider belongs to a kind of device and often to a maker: CUDA's to an
 * NVIDIA GPU, OpenVINO's to the Intel device that its option names.  Where more
 * than one device fits it cannot be told which it is, and that is what is
 * said. */
#pragma once

#include "base/str.h"
#include "sample/subjects.h"

#include <stddef.h>

#define DEVICE_MATCHES 16

enum device_match_kind {
    DEVICE_MATCH_CPU,    /* on none: the CPU computes */
    DEVICE_MATCH_FOUND,  /* on these */
    DEVICE_MATCH_UNSURE, /* on some of these, or it cannot be told at all */
    DEVICE_MATCH_ABSENT, /* on one that no sampler has found */
    DEVICE_MATCH_KINDS
};

struct device_match {
    enum device_match_kind kind;
    uint32_t device[DEVICE_MATCHES]; /* subjects */
    size_t count;
    char words[224]; /* for people: "gpu0", "cannot tell: ..." */
};

/* `providers` is a JSON array of names in the order of asking, as it is stored
 * of a session, and `options` a JSON object, what was set of it; it tells what
 * OpenVINO's option device_type was ("GPU.0", "NPU").  NULL: nothing is known.
 */
void device_match(struct device_match *out, const struct subjects *s,
        struct str providers, const char *options);

/* "cpu", "found", "unsure", "absent". */
const char *device_match_kind_name(enum device_match_kind kind);
