/* device_subject.h -- GPUs and NPUs among the subjects, whoever found them. */
#pragma once

#include "sample/subjects.h"

/* Adds the next device of its kind, "gpu" or "npu", under the name "gpu0",
 * "gpu1", ...  Its detail is for people and begins with its maker: "NVIDIA
 * GeForce RTX 4090, nvidia, 0000:01:00.0". */
uint32_t device_subject_add(struct subjects *s, const char *kind,
        const char *source, const char *detail);

/* The device with this PCI address in its detail; 0: there is none. */
uint32_t device_subject_by_pci(const struct subjects *s, const char *pci);
