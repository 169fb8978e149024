/* kernel_tables.h -- where a C++ library keeps the function that runs a kernel.
 *
 * Every operator of ONNX Runtime is an object of a class that is derived from
 * onnxruntime::OpKernel, and runs by its virtual function Compute.  Each class
 * has a table of its virtual functions in the library's constant data, and a
 * description before it that names the class and what it is derived from
 * (Itanium C++ ABI, 2.5 and 2.9):
 *
 *     table:        0, its description, functions ...
 *     description:  kind of description, name, base              one base
 *                   kind of description, name, flags and count,
 *                       base, offset and flags, ...              several
 *
 * Nothing is assumed of the library but that: a class whose description does
 * not lead to OpKernel is not touched.  That Compute is the third function is
 * checked at OpKernel's own table, where it is the one that is missing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where Compute stands in a table, after the two destructors. */
#define KERNEL_COMPUTE 2

struct kernel_range {
    uintptr_t start, end;
    bool executable;
};

#define KERNEL_RANGES 8

struct kernel_image {
    struct kernel_range data; /* constant, with tables and descriptions */
    struct kernel_range readable[KERNEL_RANGES]; /* of the library */
    size_t readable_count;
    uintptr_t one_base, more_bases; /* the two kinds of description */
};

/* Fills in where the tables keep Compute, at most `most` of them.  0: none, or
 * it is not as described above. */
size_t kernel_tables_find(uintptr_t **out, size_t most,
        const struct kernel_image *image);
