/* npy.h -- reads numpy's files: one array each.  Pure. */
#pragma once

#include "base/error.h"
#include "base/str.h"
#include "wire/ort_api.h"

#define NPY_RANK_MAX 8

struct npy {
    enum ort_type type;
    int64_t shape[NPY_RANK_MAX];
    size_t rank;
    struct str data; /* in the bytes that were given; of the right length */
};

/* -EINVAL: it is no such file; -ENOTSUP: numbers that we do not take, or in
 * Fortran's order. */
int npy_read(struct npy *out, struct str bytes, struct error *e);
