/* kernel_tables.h -- which functions of ONNX Runtime are taken, and where.
 *
 * Kernels: every operator is an object of a class that is derived from
 * onnxruntime::OpKernel, and runs by its virtual function Compute.  That this
 * is the third function is checked at OpKernel's own table, where it is the one
 * that is missing.
 *
 * Pools of threads: they are told to profile themselves around every node that
 * is described, although others may be using them (pool_linux.c).  A pool's
 * class is derived from ExtendedThreadPoolInterface and has 15 functions, of
 * which the twelfth starts that and the next stops it: one passes on to a part
 * of the object, the other to the same part. */
#pragma once

#include "hook/class_tables.h"

/* Where Compute stands in a table, after the two destructors. */
#define KERNEL_COMPUTE 2

/* Fills in where the tables keep Compute, at most `most` of them.  0: none, or
 * it is not as described above. */
size_t kernel_tables_find(uintptr_t **out, size_t most,
        const struct class_image *image);

#define POOL_FUNCTIONS 15
#define POOL_START     11
#define POOL_STOP      12

/* The table of the one class of pools; NULL: there is none, or more, or it is
 * not as described above. */
uintptr_t *pool_table_find(const struct class_image *image);
