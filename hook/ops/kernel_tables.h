/* kernel_tables.h -- where ONNX Runtime keeps the functions of its kernels.
 *
 * Every operator is an object of a class that is derived from
 * onnxruntime::OpKernel, and runs by its virtual function Compute.  That this
 * is the third function is checked at OpKernel's own table, where it is the one
 * that is missing. */
#pragma once

#include "hook/ops/class_tables.h"

/* What stands where in a table. */
enum { KERNEL_DESTROY = 1, KERNEL_COMPUTE = 2 };

#define KERNEL_TABLES_MAX 4096

/* Fills in where the tables begin, at most `most` of them; `room` is for so
 * many, to work in.  0: none, or it is not as described above. */
size_t kernel_tables_find(uintptr_t **out, size_t most,
        struct class_table *room, const struct class_image *image);
