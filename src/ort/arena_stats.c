#include "ort/arena_stats.h"

#include "base/compiler.h"
#include "base/str.h"
#include "ort/status.h"

#include <errno.h>
#include <string.h>

/* AllocatorStats::ToKeyValuePairs(). */
static void take_pairs(struct arena_stats *s, const struct ort_api *api,
        const struct ort_pairs *pairs, size_t *count)
{
    const struct {
        const char *key;
        uint64_t *into;
    } known[] = {
        { "InUse", &s->in_use_bytes },
        { "TotalAllocated", &s->held_bytes },
        { "MaxInUse", &s->max_in_use_bytes },
        { "MaxAllocSize", &s->max_alloc_bytes },
        { "NumAllocs", &s->allocs },
        { "NumArenaExtensions", &s->extensions },
    };
    const char *const *keys = NULL;
    const char *const *values = NULL;

    ORT(api, GetKeyValuePairs)(pairs, &keys, &values, count);
    for (size_t i = 0; i < *count; i++)
        for (size_t k = 0; k < LEN(known); k++)
            if (strcmp(keys[i], known[k].key) == 0)
                (void)str_u64(known[k].into, str_of(values[i]));
}

int arena_stats_read(struct arena_stats *out, const struct ort_api *api,
        uint32_t api_version, const struct ort_session *session,
        const struct ort_memory_info *memory)
{
    struct arena_stats stats = { 0 };
    struct ort_allocator *arena = NULL;
    struct ort_pairs *pairs = NULL;
    size_t count = 0;

    if (api_version < ORT_SINCE_AllocatorGetStats)
        return -ENOTSUP;

    int rc = status_fail(api,
            ORT(api, CreateAllocator)(session, memory, &arena), NULL);

    if (rc)
        return rc;
    rc = status_fail(api, ORT(api, AllocatorGetStats)(arena, &pairs), NULL);
    if (!rc && pairs) {
        take_pairs(&stats, api, pairs, &count);
        ORT(api, ReleaseKeyValuePairs)(pairs);
    }
    ORT(api, ReleaseAllocator)(arena);
    if (!rc && !count)
        rc = -ENODATA;
    if (!rc)
        *out = stats;
    return rc;
}
