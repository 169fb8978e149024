/* fake_kernels.h -- a C++ library with classes of kernels, made up in memory:
 * their tables of functions, and the descriptions before these. */
#pragma once

#include "hook/hook.h"
#include "hook/kernel_tables.h"

/* Where things are among the words of its constant data. */
enum {
    D_BASE = 0,     /* OpKernel, which has no base */
    D_STRANGER = 2, /* no kernel */
    D_CHILD = 4,    /* of OpKernel */
    D_GRANDCHILD = 7,
    D_SECOND = 10,  /* OpKernel is its second base, at the beginning */
    D_LATER = 17,   /* OpKernel is its second base, further on */
    D_VIRTUAL = 24, /* OpKernel is a virtual base */
    D_CIRCLE = 29,  /* is its own base */
    D_POINTER = 32, /* describes a pointer to a kernel */
    T_BASE = 36,
    T_CHILD = 42,
    T_GRANDCHILD = 48,
    T_SECOND = 54,
    T_SECOND_MORE = 60, /* for its other base */
    T_LATER = 66,
    T_VIRTUAL = 72,
    T_CIRCLE = 78,
    T_STRANGER = 84,
    T_ABSTRACT = 90, /* a kernel without Compute */
    D_POOLS = 96,    /* what pools of threads are derived from */
    D_POOL = 98,
    T_POOL = 101,
    FAKE_WORDS = 120
};

/* A table's functions begin behind these. */
#define TABLE_HEAD 2

/* A kernel: an object that begins with its table. */
struct fake_kernel {
    const uintptr_t *table;
    uint64_t took_ns;
    void (*during)(const struct fake_kernel *k); /* or NULL */
    _Atomic int ran;
};

/* What stands for Compute in all its tables; returns the status's place. */
void *fake_compute(void *status, struct fake_kernel *k, void *context);
/* As ONNX Runtime does it: through the table. */
void fake_kernel_run(struct fake_kernel *k);

/* A pool of threads: an object that begins with its table. */
struct fake_pool {
    const uintptr_t *table;
    uint64_t profiling; /* started, and not stopped */
};

/* The words, which are written anew, and on pages of their own. */
uintptr_t *fake_kernels_words(void);
struct class_image fake_kernels_image(void);
/* The same as the loader shows it. */
struct candidate fake_kernels_library(void);
