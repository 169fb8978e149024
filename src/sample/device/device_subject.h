/* device_subject.h -- GPUs and NPUs among the subjects, whoever found them. */
#pragma once

#include "sample/subjects.h"

/* Adds the next device of its kind, "gpu" or "npu", under the name "gpu0",
 * "gpu1", ...  Its detail is for people and begins with its maker: "NVIDIA
 * GeForce RTX 4090, nvidia, 0000:01:00.0". */
uint32_t device_subject_add(struct subjects *s, const char *kind,
        const char *source, const char *detail);

/* The same for one that is part of a processor: `package` is the zone whose
 * energy includes the device's; 0: none is known. */
uint32_t device_subject_add_in(struct subjects *s, uint32_t package,
        const char *kind, const char *source, const char *detail);

/* The zone of the machine's processor, for devices that are built into one,
 * which only machines with a single one have.  0: nobody has found it. */
uint32_t device_subject_package(const struct subjects *s);

/* The device with this PCI address in its detail; 0: there is none. */
uint32_t device_subject_by_pci(const struct subjects *s, const char *pci);
