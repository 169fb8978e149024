/* provider.h -- asks for an execution provider by the name people know. */
#pragma once

#include "base/error.h"
#include "ort/runtime.h"

/* `name` is "CUDA" or "CUDAExecutionProvider", in any case; the CPU is there
 * without asking.  The provider gets its usual settings.  -ENOTSUP: this ONNX
 * Runtime has none of that name; the error lists those it has. */
int provider_append(struct ort_options *options, const struct ort_api *api,
        const struct runtime_info *runtime, const char *name, struct error *e);
