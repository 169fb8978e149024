/* accelerators.h -- the GPUs, NPUs and their like of a Linux machine. */
#pragma once

#include "model/host.h"

/* Adds to `host` what /sys below `root` lists: PCI devices by their class, and
 * others by having a render or an accelerator node. */
void accelerators_read(struct host_info *host, const char *root);
