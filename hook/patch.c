/* patch.c -- puts our functions into ONNX Runtime's table, in place.
 *
 * Every caller has the same table, however and whenever it got it, so all are
 * met.  The table lies in memory that the loader made read-only: it is made
 * writable for a moment.  Only data is changed, never code.  A slot that the
 * runtime's version does not have yet is left alone: there lies something
 * else. */
#include "hook/ops.h"
#include "hook/wraps.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

struct library hook_libraries[LIBRARIES];

static const ort_function *const sets[LIBRARIES] = { hook_wraps_0, hook_wraps_1,
    hook_wraps_2, hook_wraps_3, hook_wraps_4, hook_wraps_5, hook_wraps_6,
    hook_wraps_7 };

const ort_function *const hook_stream_wraps[LIBRARIES] = { hook_streams_0,
    hook_streams_1, hook_streams_2, hook_streams_3, hook_streams_4,
    hook_streams_5, hook_streams_6, hook_streams_7 };

/* Where each of our functions goes. */
static const struct place {
    uint16_t slot;
    uint16_t since;
    bool ops;    /* only where operators are recorded */
    bool editor; /* in the model editor's table */
} places[WRAPS] = {
#define X(name) \
    [WRAP_##name] = { ORT_SLOT_##name, ORT_SINCE_##name, false, false },
    HOOK_WRAPS(X)
#undef X
#define X(name) \
    [WRAP_##name] = { ORT_SLOT_##name, ORT_SINCE_##name, true, false },
            HOOK_OPS_WRAPS(X)
#undef X
#define X(name) \
    [WRAP_##name] = { ORT_SLOT_##name, ORT_SINCE_##name, false, true },
                    HOOK_EDITOR_WRAPS(X)
#undef X
};

/* Is it to be taken, in this table of this runtime? */
static bool is_wanted(const struct place *p, const struct library *lib,
        bool editor)
{
    return p->editor == editor && p->since <= lib->minor &&
           (!p->ops || ops_wanted());
}

/* "1.23.2" is 23; 0: not a version that we understand. */
static uint32_t minor_of(const char *version)
{
    uint32_t minor = 0;

    if (!version || version[0] != '1' || version[1] != '.')
        return 0;
    for (version += 2; *version >= '0' && *version <= '9' && minor < 1000;
            version++)
        minor = minor * 10 + (uint32_t)(*version - '0');
    return minor < 1000 ? minor : 0;
}

static bool inside(const struct candidate *c, const void *p, size_t bytes)
{
    uintptr_t at = (uintptr_t)p;

    return at >= c->start && at < c->end && bytes <= c->end - at;
}

/* Makes the pages of a table writable, or what they were before. */
static bool protect(const struct candidate *c, const struct ort_api *table,
        uint32_t last_slot, bool writable)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)&table->slot[0] & ~(page - 1);
    uintptr_t end = (uintptr_t)(&table->slot[last_slot] + 1);

    for (; start < end; start += page) {
        bool was_read_only =
                start >= c->relro_start && start + page <= c->relro_end;
        int flags =
                writable || !was_read_only ? PROT_READ | PROT_WRITE : PROT_READ;

        if (mprotect((void *)start, page, flags))
            return false;
    }
    return true;
}

static uint32_t last_slot(const struct library *lib, bool editor)
{
    uint32_t last = 0;

    for (size_t i = 0; i < WRAPS; i++)
        if (is_wanted(&places[i], lib, editor) && places[i].slot > last)
            last = places[i].slot;
    return last;
}

/* Returns how many slots were taken. */
static uint32_t take(struct library *lib, const struct candidate *c,
        const struct ort_api *table, bool editor)
{
    uint32_t taken = 0, last = last_slot(lib, editor);

    if (!table || !inside(c, table, (last + 1) * sizeof(table->slot[0])) ||
            !protect(c, table, last, true))
        return 0;

    /* Cast from const: the pages are writable now. */
    _Atomic ort_function *slots = (_Atomic ort_function *)(uintptr_t)table;

    /* What is replaced is known before anything is: a call may come at once. */
    for (size_t i = 0; i < WRAPS; i++)
        if (is_wanted(&places[i], lib, editor))
            lib->real[i] = atomic_load(&slots[places[i].slot]);
    for (size_t i = 0; i < WRAPS; i++)
        if (is_wanted(&places[i], lib, editor)) {
            atomic_store(&slots[places[i].slot], sets[lib->index][i]);
            taken++;
        }
    (void)protect(c, table, last, false);
    return taken;
}

static struct library *free_set(const struct ort_api *api)
{
    for (size_t i = 0; i < LIBRARIES; i++) {
        if (hook_libraries[i].api == api)
            return NULL; /* taken before */
        if (!hook_libraries[i].api) {
            hook_libraries[i].index = (uint8_t)i;
            return &hook_libraries[i];
        }
    }
    return NULL;
}

bool patch(const struct candidate *c)
{
    const struct ort_api_base *base = c->get_base();

    if (!base || !inside(c, base, sizeof(*base)) ||
            !inside(c, (const void *)(uintptr_t)base->get_api, 1) ||
            !inside(c, (const void *)(uintptr_t)base->get_version_string, 1))
        return false;

    const char *version = base->get_version_string();
    uint32_t minor = minor_of(version);
    const struct ort_api *api = minor ? base->get_api(1) : NULL;
    struct library *lib = api ? free_set(api) : NULL;

    if (!lib)
        return false;
    lib->minor = minor;
    lib->api = api;

    /* The channel is open before the first call can come through. */
    if (!channel_ring()) {
        lib->api = NULL;
        return false;
    }

    uint32_t taken = take(lib, c, api, false);

    if (!taken) {
        lib->api = NULL;
        return false;
    }
    if (minor >= ORT_SINCE_GetModelEditorApi)
        taken += take(lib, c, ORT(api, GetModelEditorApi)(), true);
    if (ops_wanted() && minor >= ORT_SINCE_RunOptionsEnableProfiling) {
        (void)bracket_install(c, lib);
        lib->times_kernels = kernels_install(c);
        lib->quiet_pools = pool_install(c, lib->index);
    }
    object_library(lib, c->path, version, taken);
    return true;
}
