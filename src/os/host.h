/* host.h -- reads what machine this is. */
#pragma once

#include "model/host.h"

/* Fills `out` from the files below `root`, which is "" for this machine and a
 * folder with a recorded /proc and /sys in tests.  Cannot fail: what is not
 * told is absent.  Reads files only, none of which wakes a device. */
void host_read(struct host_info *out, const char *root);
