#include "etw/images.h"

#include "base/alloc.h"
#include "etw/decode.h"

#include <inttypes.h>
#include <stdlib.h>

struct image {
    uint32_t pid;
    uint64_t base, bytes;
    size_t order;     /* as they came */
    size_t name, len; /* in the names */
};

struct etw_images {
    struct image *images;
    size_t count, cap;
    struct buf names;
    bool sorted;
};

struct etw_images *etw_images_new(void)
{
    return alloc_zero(1, sizeof(struct etw_images));
}

/* The last part of a path, as Windows writes it. */
static struct str file_name(struct str path)
{
    for (size_t i = path.len; i > 0; i--)
        if (path.p[i - 1] == '\\' || path.p[i - 1] == '/')
            return (struct str){ path.p + i, path.len - i };
    return path;
}

void etw_images_take(struct etw_images *x, const struct etw_record *r)
{
    enum etw_class class = etw_class_of(r);
    struct etw_decoded d;
    struct buf path = { 0 };

    if (!(class == ETW_CLASS_IMAGE && r->opcode != 33) &&
            !(class == ETW_CLASS_PROCESS && r->opcode == 10))
        return;
    if (!etw_decode(&d, r) || !etw_value(&d, "FileName") ||
            !etw_number(&d, "ImageSize", 0))
        return;
    etw_value_text(&path, etw_value(&d, "FileName"));

    struct str name = file_name(buf_str(&path));

    if (x->count == x->cap) {
        x->cap = x->cap ? 2 * x->cap : 64;
        x->images = alloc_resize(x->images, x->cap * sizeof(*x->images));
    }
    x->images[x->count] = (struct image){
        .pid = (uint32_t)etw_number(&d, "ProcessID", 0),
        .base = etw_number(&d, "ImageBase", 0),
        .bytes = etw_number(&d, "ImageSize", 0),
        .order = x->count,
        .name = x->names.len,
        .len = name.len,
    };
    x->count++;
    x->sorted = false;
    buf_add(&x->names, name.p, name.len);
    buf_release(&path);
}

static int by_place(const void *a, const void *b)
{
    const struct image *x = a, *y = b;

    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    if (x->base != y->base)
        return x->base < y->base ? -1 : 1;
    /* The search finds the last of equals. */
    return x->order > y->order ? -1 : x->order < y->order;
}

/* The last image that begins at or before the address. */
static const struct image *find(const struct etw_images *x, uint32_t pid,
        uint64_t address)
{
    size_t from = 0, to = x->count;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const struct image *m = &x->images[middle];

        if (m->pid < pid || (m->pid == pid && m->base <= address))
            from = middle + 1;
        else
            to = middle;
    }
    if (!from)
        return NULL;

    const struct image *i = &x->images[from - 1];

    return i->pid == pid && address - i->base < i->bytes ? i : NULL;
}

void etw_images_name(struct buf *out, struct etw_images *x, uint32_t pid,
        uint64_t address)
{
    if (!x->sorted && x->count)
        qsort(x->images, x->count, sizeof(*x->images), by_place);
    x->sorted = true;

    const struct image *i = find(x, pid, address);

    if (!i)
        i = find(x, 0, address);
    if (!i) {
        buf_printf(out, "0x%" PRIx64, address);
        return;
    }
    buf_add(out, x->names.p + i->name, i->len);
    buf_printf(out, "+0x%" PRIx64, address - i->base);
}

void etw_images_free(struct etw_images *x)
{
    if (!x)
        return;
    buf_release(&x->names);
    free(x->images);
    free(x);
}
