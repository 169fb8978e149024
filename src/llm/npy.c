/* "\x93NUMPY", the version in two bytes, the header's length in two or four,
 * little-endian, and a Python dict: {'descr': '<f4', 'fortran_order': False,
 * 'shape': (1, 80, 3000), }.  Then the numbers. */
#include "llm/npy.h"

#include "base/compiler.h"

#include <errno.h>
#include <string.h>

static const struct {
    const char *name;
    enum ort_type type;
    size_t bytes;
} types[] = {
    { "'<f4'", ORT_TYPE_FLOAT, 4 },
    { "'<f2'", ORT_TYPE_FLOAT16, 2 },
    { "'<f8'", ORT_TYPE_DOUBLE, 8 },
    { "'<i4'", ORT_TYPE_INT32, 4 },
    { "'<i8'", ORT_TYPE_INT64, 8 },
    { "'|b1'", ORT_TYPE_BOOL, 1 },
    { "'|u1'", ORT_TYPE_UINT8, 1 },
};

/* What follows a key of the dict; empty: it is not there. */
static struct str value_of(struct str header, const char *key)
{
    const char *at = str_find(header, key);

    if (!at)
        return (struct str){ 0 };

    struct str rest = { at, (size_t)(header.p + header.len - at) };

    return str_trim(str_after(rest, ':'));
}

static int read_shape(struct npy *out, struct str text, uint64_t *elements,
        struct error *e)
{
    struct str rest = str_before(str_after(text, '('), ')');

    *elements = 1;
    while (str_trim(rest).len) {
        struct str one = str_trim(str_before(rest, ','));
        uint64_t dim;

        if (str_u64(&dim, one) || dim > INT32_MAX ||
                out->rank == NPY_RANK_MAX ||
                (dim && *elements > (UINT64_C(1) << 40) / dim))
            return fail(e, -EINVAL, "its shape makes no sense");
        out->shape[out->rank++] = (int64_t)dim;
        *elements *= dim;
        rest = str_after(rest, ',');
    }
    return 0;
}

/* Where the header lies; false: there is none. */
static bool find_header(struct str bytes, struct str *header)
{
    const unsigned char *p = (const unsigned char *)bytes.p;
    size_t at = 10, len;

    if (bytes.len < 12 || memcmp(p, "\x93NUMPY", 6) != 0)
        return false;
    len = p[8] | (size_t)p[9] << 8;
    if (p[6] > 1) {
        at = 12;
        len |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
    }
    if (len > bytes.len - at)
        return false;
    *header = (struct str){ bytes.p + at, len };
    return true;
}

int npy_read(struct npy *out, struct str bytes, struct error *e)
{
    struct str header = { 0 }, type;
    uint64_t elements;
    size_t size = 0;
    int rc;

    *out = (struct npy){ 0 };
    if (!find_header(bytes, &header))
        return fail(e, -EINVAL, "it is no file of numpy's");
    type = value_of(header, "'descr'");
    for (size_t i = 0; i < LEN(types); i++) {
        if (str_starts(type, types[i].name)) {
            out->type = types[i].type;
            size = types[i].bytes;
        }
    }
    if (!size)
        return fail(e, -ENOTSUP, "its numbers are of a type that is not known");
    if (!str_starts(value_of(header, "'fortran_order'"), "False"))
        return fail(e, -ENOTSUP, "it is in Fortran's order");
    rc = read_shape(out, value_of(header, "'shape'"), &elements, e);
    if (rc)
        return rc;
    out->data.p = header.p + header.len;
    out->data.len = (size_t)elements * size;
    if ((size_t)(bytes.p + bytes.len - out->data.p) < out->data.len)
        return fail(e, -EINVAL, "it is cut short");
    return 0;
}
