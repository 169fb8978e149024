/* patch.c -- puts our functions into ONNX Runtime's table, in place.
 *
 * Every caller has the same table, however and whenever it got it, so all are
 * met.  The table lies in memory that the loader made read-only: it is made
 * writable for a moment, and then exactly what it was.  Only data is changed,
 * never code, nor what shares a page with code.  A slot that the
 * runtime's version does not have yet is left alone: there lies something
 * else. */
#include "hook/ops/ops.h"
#include "hook/wraps.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

struct library hook_libraries[LIBRARIES];

static const ort_function *const sets[LIBRARIES] = { hook_wraps_0, hook_wraps_1,
    hook_wraps_2, hook_wraps_3, hook_wraps_4, hook_wraps_5, hook_wraps_6,
    hook_wraps_7 };

/* Where each of our functions goes. */
static const struct place {
    uint16_t slot;
    uint16_t since;
    bool editor; /* in the model editor's table */
} places[WRAPS] = {
#define X(name) [WRAP_##name] = { ORT_SLOT_##name, ORT_SINCE_##name, false },
    HOOK_WRAPS(X)
#undef X
#define X(name) [WRAP_##name] = { ORT_SLOT_##name, ORT_SINCE_##name, true },
            HOOK_EDITOR_WRAPS(X)
#undef X
};

/* Is it to be taken, in this table of this runtime? */
static bool is_wanted(const struct place *p, const struct library *lib,
        bool editor)
{
    return p->editor == editor && p->since <= lib->minor;
}

uint32_t library_minor(const char *version)
{
    uint32_t minor = 0;

    if (!version || version[0] != '1' || version[1] != '.')
        return 0;
    for (version += 2; *version >= '0' && *version <= '9' && minor < 1000;
            version++)
        minor = minor * 10 + (uint32_t)(*version - '0');
    return minor < 1000 ? minor : 0;
}

static bool inside(const struct image *i, const void *p, size_t bytes)
{
    uintptr_t at = (uintptr_t)p;

    return at >= i->start && at < i->end && bytes <= i->end - at;
}

/* As the loader left the page; PROT_EXEC: or it is not known, and not ours to
 * open. */
static int protection_of(const struct image *i, uintptr_t start, uintptr_t page)
{
    if (start >= i->relro_start && start + page <= i->relro_end)
        return PROT_READ;
    for (size_t k = 0; k < i->segment_count; k++)
        if (start + page > i->segments[k].start && start < i->segments[k].end)
            return i->segments[k].protection;
    return PROT_EXEC;
}

/* Makes the pages of a table writable, or what they were before. */
static bool protect(const struct image *i, const struct ort_api *table,
        uint32_t last_slot, bool writable)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)&table->slot[0] & ~(page - 1);
    uintptr_t end = (uintptr_t)(&table->slot[last_slot] + 1);

    for (; start < end; start += page) {
        int before = protection_of(i, start, page);

        if (before & PROT_EXEC ||
                mprotect((void *)start, page,
                        writable ? PROT_READ | PROT_WRITE : before))
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

static bool is_own(const struct library *lib, const struct ort_api *table,
        bool editor)
{
    return table &&
           inside(&lib->image, table,
                   (last_slot(lib, editor) + 1) * sizeof(table->slot[0]));
}

/* Why its table could not be taken; NULL: that is not the library's own. */
static const char *why_not(const struct library *lib)
{
    if (!is_own(lib, lib->api, false))
        return NULL;
    return protection_of(&lib->image, (uintptr_t)lib->api, 1) & PROT_EXEC
                   ? "its table of functions lies among its code"
                   : "its table of functions could not be written to";
}

/* Returns how many slots were taken. */
static uint32_t take(struct library *lib, const struct ort_api *table,
        bool editor)
{
    const struct image *i = &lib->image;
    uint32_t taken = 0, last = last_slot(lib, editor);

    if (!is_own(lib, table, editor))
        return 0;
    if (!protect(i, table, last, true)) {
        (void)protect(i, table, last, false);
        return 0;
    }

    /* Cast from const: the pages are writable now. */
    _Atomic ort_function *slots = (_Atomic ort_function *)(uintptr_t)table;

    /* What is replaced is known before anything is: a call may come at once. */
    for (size_t k = 0; k < WRAPS; k++)
        if (is_wanted(&places[k], lib, editor))
            lib->real[k] = atomic_load(&slots[places[k].slot]);
    for (size_t k = 0; k < WRAPS; k++)
        if (is_wanted(&places[k], lib, editor)) {
            atomic_store(&slots[places[k].slot], sets[lib->index][k]);
            taken++;
        }
    (void)protect(i, table, last, false);
    return taken;
}

struct library *library_take(const void *owner)
{
    for (size_t i = 0; i < LIBRARIES; i++) {
        const void *there = NULL;

        if (atomic_compare_exchange_strong(&hook_libraries[i].owner, &there,
                    owner)) {
            hook_libraries[i].index = (uint8_t)i;
            return &hook_libraries[i];
        }
        if (there == owner)
            return NULL;
    }
    return NULL;
}

void library_give_back(struct library *lib)
{
    lib->api = NULL;
    atomic_store(&lib->owner, NULL);
}

bool patch(const struct candidate *c)
{
    const struct ort_api_base *base = c->get_base();

    const struct image *i = &c->image;

    if (!base || !inside(i, base, sizeof(*base)) ||
            !inside(i, (const void *)(uintptr_t)base->get_api, 1) ||
            !inside(i, (const void *)(uintptr_t)base->get_version_string, 1))
        return false;

    const char *version = base->get_version_string();
    uint32_t minor = library_minor(version);
    const struct ort_api *api = minor ? base->get_api(1) : NULL;
    struct library *lib = api ? library_take(api) : NULL;

    if (!lib)
        return false;
    lib->minor = minor;
    lib->image = *i;
    lib->api = api;

    /* The channel is open before the first call can come through. */
    if (!channel_ring()) {
        library_give_back(lib);
        return false;
    }

    uint32_t taken = take(lib, api, false);

    if (!taken) {
        const char *reason = why_not(lib);

        library_give_back(lib);
        if (reason)
            object_static_library(c->path, reason);
        return false;
    }
    if (minor >= ORT_SINCE_GetModelEditorApi)
        taken += take(lib, ORT(api, GetModelEditorApi)(), true);
    if (channel_ops() != OPS_OFF || channel_stats())
        ops_install(lib);
    object_library(lib, c->path, version, taken);
    return true;
}
