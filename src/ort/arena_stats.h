/* arena_stats.h -- what a session's CPU arena tells of itself. */
#pragma once

#include "base/error.h"
#include "wire/ort_api.h"

/* Bytes, and counts since the session was made. */
struct arena_stats {
    uint64_t in_use_bytes;     /* by tensors and weights, now */
    uint64_t held_bytes;       /* taken from the system */
    uint64_t max_in_use_bytes; /* the most ever */
    uint64_t max_alloc_bytes;  /* the largest piece ever */
    uint64_t allocs;           /* tensors asked for */
    uint64_t extensions;       /* times that it took more from the system */
};

/* Costs a microsecond.  -ENOTSUP: ONNX Runtime before 1.23 does not tell;
 * -ENODATA: the session has no arena. */
int arena_stats_read(struct arena_stats *out, const struct ort_api *api,
        uint32_t api_version, const struct ort_session *session,
        const struct ort_memory_info *memory);
