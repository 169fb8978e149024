/* arch_places.h -- the places of all nodes of a graph, for arch.c. */
#pragma once

#include "onnx/arch.h"

/* By names first, then by what stands where.  `out` has room for the graph's
 * nodes. */
void arch_places(struct arch_place *out, const struct onnx_model *m);
