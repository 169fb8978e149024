/* fake_kernels.h -- a C++ library with classes of kernels, made up in memory:
 * their tables of functions, and the descriptions before these. */
#pragma once

#include "fake_ort.h"
#include "hook/hook.h"
#include "hook/ops/kernel_tables.h"

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
    FAKE_WORDS = 96
};

/* A table's functions begin behind these. */
#define TABLE_HEAD 2

/* How the C++ library keeps a text: hook/ops/kernel.c. */
enum fake_form { FAKE_LONG, FAKE_SHORT };

#define FAKE_TENSORS 4

/* A kernel, as ONNX Runtime has them: hook/ops/kernel.c.  The test fills in
 * what it is, fake_kernel_make() the rest. */
struct fake_kernel {
    const uintptr_t *table;
    const uintptr_t *info;
    const char *name, *type;
    size_t index, n_in, n_out;
    struct ort_value *in[FAKE_TENSORS], *out[FAKE_TENSORS]; /* or NULL */
    const char *in_name[FAKE_TENSORS], *out_name[FAKE_TENSORS];
    bool constant[FAKE_TENSORS];
    void (*during)(struct fake_kernel *k, void *context); /* or NULL */
    _Atomic int ran, destroyed;
    uintptr_t description[8], node[16];
    _Alignas(16) char texts[2][96];
};

/* What lies on the stack of whoever executes the graph: hook/ops/tensor.c. */
struct fake_frame {
    uintptr_t words[8];
    uintptr_t list_words[3];
    int32_t list[2 * FAKE_TENSORS];
    struct fake_cell {
        int type; /* FAKE_CELL */
        struct ort_value *real;
        uintptr_t unused;
    } cells[2 * FAKE_TENSORS];
    bool plain_vectors;
};

void fake_kernel_make(struct fake_kernel *k, enum fake_form form);
/* As ONNX Runtime does it: through the table, with a context of its own. */
void fake_kernel_run(struct fake_kernel *k, struct fake_frame *frame);
/* The same with a context that names another kernel, or none. */
void fake_kernel_run_as(struct fake_kernel *k, struct fake_frame *frame,
        const void *kernel);
void fake_kernel_destroy(struct fake_kernel *k);

/* The calls of the API that tell of kernels, by their slots; how often they
 * were made. */
extern const ort_function fake_kernel_calls[];
extern const size_t fake_kernel_calls_count;
extern _Atomic uint64_t fake_kernel_asked;

/* What stands for Compute in all its tables. */
void *fake_compute(void *status, struct fake_kernel *k, void *context);

/* Whose words, image and library these are: the runtime's, 0, or a provider's.
 */
void fake_kernels_of(size_t library);
/* The words, which are written anew, and on pages of their own. */
uintptr_t *fake_kernels_words(void);
struct class_image fake_kernels_image(void);
/* The same as the loader shows it. */
struct image fake_kernels_library(void);
/* The runtime of fake_ort.h with that library's kernels. */
struct candidate fake_kernels_candidate(size_t number);
