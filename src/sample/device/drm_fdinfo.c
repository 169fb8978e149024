#include "sample/device/drm_fdinfo.h"

#include "os/kernel_text.h"

#include <errno.h>
#include <string.h>

/* Resident memory is told under three names; the best one counts. */
enum quality { NONE, TOTAL, LEGACY, RESIDENT };

struct region {
    char name[24];
    enum quality quality;
    uint64_t bytes;
};

#define REGIONS 16

struct regions {
    struct region region[REGIONS];
    size_t count;
};

/* What follows `begin` in `key`; empty: it does not begin so. */
static struct str behind(struct str key, const char *begin)
{
    size_t len = strlen(begin);

    return str_starts(key, begin) ? (struct str){ key.p + len, key.len - len }
                                  : (struct str){ key.p, 0 };
}

static struct drm_engine *engine_of(struct drm_fdinfo *f, struct str name)
{
    for (size_t i = 0; i < f->engine_count; i++)
        if (str_is(name, f->engine[i].name))
            return &f->engine[i];
    if (f->engine_count == DRM_ENGINES || name.len >= sizeof(f->engine[0].name))
        return NULL;

    struct drm_engine *e = &f->engine[f->engine_count++];

    *e = (struct drm_engine){ .capacity = 1 };
    text_copy(e->name, sizeof(e->name), name);
    return e;
}

/* The longer names first: the shorter ones begin likewise. */
static bool take_engine(struct drm_fdinfo *f, struct str key, uint64_t value)
{
    static const char *const begins[] = { "drm-engine-capacity-",
        "drm-total-cycles-", "drm-engine-", "drm-cycles-" };
    struct str name = { key.p, 0 };
    size_t kind = 0;

    for (; kind < 4 && !name.len; kind += !name.len)
        name = behind(key, begins[kind]);
    if (!name.len)
        return false;

    struct drm_engine *e = engine_of(f, name);

    if (!e)
        return true;
    if (kind == 0 && value && value <= UINT16_MAX) {
        e->capacity = (unsigned)value;
    } else if (kind == 1) {
        e->total = value;
        e->has_total = true;
    } else if (kind == 2) {
        e->ns = value;
        e->has_ns = true;
    } else if (kind == 3) {
        e->cycles = value;
        e->has_cycles = true;
    }
    return true;
}

static void take_memory(struct regions *r, struct str key, struct str value)
{
    static const struct {
        const char *begin;
        enum quality quality;
    } kinds[] = { { "drm-resident-", RESIDENT }, { "drm-memory-", LEGACY },
        { "drm-total-", TOTAL } };
    struct str rest = value;
    struct str number = str_word(&rest), unit = str_word(&rest);
    struct str name = { key.p, 0 };
    size_t kind = 0, i = 0;
    uint64_t count;

    for (; kind < 3 && !name.len; kind += !name.len)
        name = behind(key, kinds[kind].begin);
    if (!name.len || str_u64(&count, number))
        return;

    unsigned shift = str_is(unit, "KiB") ? 10 : str_is(unit, "MiB") ? 20 : 0;

    while (i < r->count && !str_is(name, r->region[i].name))
        i++;
    if (i == REGIONS || name.len >= sizeof(r->region[0].name) ||
            count > UINT64_MAX >> shift)
        return;
    if (i == r->count)
        text_copy(r->region[r->count++].name, sizeof(r->region[0].name), name);
    if (kinds[kind].quality > r->region[i].quality) {
        r->region[i].quality = kinds[kind].quality;
        r->region[i].bytes = count << shift;
    }
}

static void sum_memory(struct drm_fdinfo *f, const struct regions *r)
{
    for (size_t i = 0; i < r->count; i++) {
        struct str name = str_of(r->region[i].name);

        if (str_starts(name, "vram") || str_starts(name, "local")) {
            f->has_device_bytes = true;
            f->device_bytes += r->region[i].bytes;
        } else {
            f->has_system_bytes = true;
            f->system_bytes += r->region[i].bytes;
        }
    }
}

static void take_line(struct drm_fdinfo *f, struct regions *r, struct str key,
        struct str value)
{
    struct str rest = value;
    uint64_t number = 0;
    bool is_number = str_u64(&number, str_word(&rest)) == 0;

    if (str_is(key, "drm-driver")) {
        text_copy(f->driver, sizeof(f->driver), value);
    } else if (str_is(key, "drm-pdev")) {
        text_copy(f->pci, sizeof(f->pci), value);
    } else if (str_is(key, "drm-client-id") && is_number) {
        f->has_client = true;
        f->client = number;
    } else if (is_number && !take_engine(f, key, number)) {
        take_memory(r, key, value);
    }
}

int drm_fdinfo_parse(struct drm_fdinfo *out, struct str text)
{
    struct drm_fdinfo f = { .engine_count = 0 };
    struct regions r = { .count = 0 };
    struct str line;

    while (str_line(&line, &text))
        take_line(&f, &r, str_trim(str_before(line, ':')),
                str_trim(str_after(line, ':')));
    if (!f.driver[0])
        return -EINVAL;
    sum_memory(&f, &r);
    *out = f;
    return 0;
}
