/* cpu_topology.h -- sockets, cores, threads and caches of a Linux machine. */
#pragma once

#include "model/host.h"

/* Fills the CPU's counts, highest clock and caches in `host` from
 * /sys/devices/system/cpu below `root`.  What is not told is left as it is. */
void cpu_topology_read(struct host_info *host, const char *root);
