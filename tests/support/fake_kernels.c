#include "fake_kernels.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096

#define ONE  "_ZTVN10__cxxabiv120__si_class_type_infoE"
#define MORE "_ZTVN10__cxxabiv121__vmi_class_type_infoE"

/* Functions and kinds of descriptions of the C++ library's, which is another.
 */
static const uintptr_t no_base = 1, one_base = 2, more_bases = 3, pointer = 4,
                       pure = 5;

static struct library_image {
    _Alignas(PAGE) uintptr_t words[FAKE_WORDS]; /* read-only, later */
    char rest[PAGE - FAKE_WORDS * sizeof(uintptr_t)];
    char names[512];
    ElfW(Sym) symbols[3];
    ElfW(Rela) relocations[2];
    ElfW(Dyn) dynamic[6];
    uintptr_t imported[2]; /* where the loader put the addresses */
} * image;

/* --- kernels -------------------------------------------------------------- */

struct fake_context {
    uintptr_t unused;
    struct fake_frame *frame;
    const void *kernel;
    uintptr_t more[2];
    int32_t starts[3];
    struct fake_kernel *real;
};

void *fake_compute(void *status, struct fake_kernel *k, void *context)
{
    if (((struct fake_context *)context)->real != k)
        abort();
    k->ran++;
    if (k->during)
        k->during(k, context);
    return status;
}

static void fake_destroy(struct fake_kernel *k)
{
    k->destroyed++;
}

/* A text's words; returns how many they are. */
static size_t put_text(uintptr_t *words, char *room, const char *text,
        enum fake_form form)
{
    size_t len = strlen(text);
    char *at = form == FAKE_SHORT ? room + 24
               : len < 16         ? (char *)(words + 2)
                                  : room;

    words[0] = (uintptr_t)at;
    if (form == FAKE_SHORT)
        *(uintptr_t *)(void *)room = len;
    else
        words[1] = len;
    memcpy(at, text, len + 1);
    return form == FAKE_SHORT ? 1 : 4;
}

/* Of the class of providers for the processor. */
static uintptr_t provider[2];

void fake_kernel_make(struct fake_kernel *k, enum fake_form form)
{
    static const char class_name[] = "N11onnxruntime20CPUExecutionProviderE";
    static uintptr_t type[2], table[2];
    size_t words;

    type[1] = (uintptr_t)class_name;
    table[0] = (uintptr_t)type;
    provider[0] = (uintptr_t)&table[1];
    k->node[0] = k->index;
    words = put_text(&k->node[1], k->texts[0], k->name, form);
    (void)put_text(&k->node[1 + words], k->texts[1], k->type, form);
    k->description[0] = (uintptr_t)&k->description[5];
    k->description[1] = k->description[5] = (uintptr_t)k->node;
    k->description[3] = (uintptr_t)provider;
    k->info = k->description;
}

static void put_frame(struct fake_frame *f, const struct fake_kernel *k)
{
    size_t n = k->n_in + k->n_out;

    for (size_t i = 0; i < n; i++) {
        struct ort_value *v = i < k->n_in ? k->in[i] : k->out[i - k->n_in];

        f->list[i] = v ? (int32_t)i : -1;
        f->cells[i] = (struct fake_cell){ FAKE_CELL, v, 0 };
    }
    f->words[1] = (uintptr_t)f->list_words;
    if (f->plain_vectors) {
        f->list_words[0] = (uintptr_t)f->list;
        f->list_words[1] = (uintptr_t)(f->list + n);
        f->words[2] = (uintptr_t)f->cells;
        f->words[3] = (uintptr_t)(f->cells + n);
    } else {
        f->list_words[0] = n << 1 | 1;
        f->list_words[1] = (uintptr_t)f->list;
        f->words[2] = n << 1 | 1;
        f->words[3] = (uintptr_t)f->cells;
    }
}

void fake_kernel_run_as(struct fake_kernel *k, struct fake_frame *frame,
        const void *kernel)
{
    void *(*compute)(void *, struct fake_kernel *, void *) = (void *(*)(void *,
            struct fake_kernel *, void *))k->table[KERNEL_COMPUTE];
    struct fake_context context = { .frame = frame,
        .kernel = kernel,
        .starts = { 0, (int32_t)k->n_in, (int32_t)k->n_in },
        .real = k };
    int status;

    if (kernel)
        put_frame(frame, k);
    if (compute(&status, k, &context) != &status)
        abort();
}

void fake_kernel_run(struct fake_kernel *k, struct fake_frame *frame)
{
    fake_kernel_run_as(k, frame, k);
}

void fake_kernel_destroy(struct fake_kernel *k)
{
    ((void (*)(struct fake_kernel *))k->table[KERNEL_DESTROY])(k);
}

/* --- what the API tells of them --------------------------------------------
 */

_Atomic uint64_t fake_kernel_asked;

static const struct fake_kernel *kernel_of(const struct ort_kernel_context *c)
{
    fake_kernel_asked++;
    return ((const struct fake_context *)(const void *)c)->real;
}

static const struct fake_kernel *described(const struct ort_kernel_info *info)
{
    fake_kernel_asked++;
    return (const struct fake_kernel *)(const void
                    *)((const char *)info -
                       offsetof(struct fake_kernel, description));
}

static struct ort_status *copy(const char *text, char *out, size_t *size)
{
    static struct ort_status too_long = { 1, "too long" };

    if (strlen(text) + 1 > *size)
        return &too_long;
    *size = strlen(text) + 1;
    memcpy(out, text, *size);
    return NULL;
}

static struct ort_status *fake_KernelInfo_GetNodeName(
        const struct ort_kernel_info *info, char *out, size_t *size)
{
    return copy(described(info)->name, out, size);
}

static struct ort_status *fake_KernelInfo_GetOperatorType(
        const struct ort_kernel_info *info, char *out, size_t *size)
{
    return copy(described(info)->type, out, size);
}

static struct ort_status *fake_KernelInfo_GetOperatorDomain(
        const struct ort_kernel_info *info, char *out, size_t *size)
{
    (void)info;
    return copy("ai.onnx", out, size);
}

static struct ort_status *fake_KernelInfo_GetOperatorSinceVersion(
        const struct ort_kernel_info *info, int *out)
{
    (void)info;
    *out = 13;
    return NULL;
}

static struct ort_status *fake_KernelInfo_GetInputName(
        const struct ort_kernel_info *info, size_t i, char *out, size_t *size)
{
    return copy(described(info)->in_name[i], out, size);
}

static struct ort_status *fake_KernelInfo_GetOutputName(
        const struct ort_kernel_info *info, size_t i, char *out, size_t *size)
{
    return copy(described(info)->out_name[i], out, size);
}

static struct ort_status *fake_KernelInfoGetConstantInput_tensor(
        const struct ort_kernel_info *info, size_t i, int *is,
        const struct ort_value **out)
{
    *is = described(info)->constant[i];
    *out = described(info)->in[i];
    return NULL;
}

/* The type of an input is the input. */
static struct ort_status *fake_KernelInfo_GetInputTypeInfo(
        const struct ort_kernel_info *info, size_t i,
        struct ort_type_info **out)
{
    *out = (struct ort_type_info *)(void *)described(info)->in[i];
    return NULL;
}

static struct ort_status *fake_CastTypeInfoToTensorInfo(
        const struct ort_type_info *info, const struct ort_tensor_info **out)
{
    *out = (const struct ort_tensor_info *)(const void *)info;
    return NULL;
}

static void fake_ReleaseTypeInfo(struct ort_type_info *info)
{
    (void)info;
}

static struct ort_status *fake_KernelContext_GetInputCount(
        const struct ort_kernel_context *context, size_t *out)
{
    *out = kernel_of(context)->n_in;
    return NULL;
}

static struct ort_status *fake_KernelContext_GetOutputCount(
        const struct ort_kernel_context *context, size_t *out)
{
    *out = kernel_of(context)->n_out;
    return NULL;
}

static struct ort_status *fake_KernelContext_GetInput(
        const struct ort_kernel_context *context, size_t i,
        const struct ort_value **out)
{
    const struct fake_context *c = (const void *)context;

    *out = kernel_of(context)->in[i]
                   ? (const struct ort_value *)(const void *)&c->frame->cells[i]
                   : NULL;
    return NULL;
}

static struct ort_status *fake_HasValue(const struct ort_value *v, int *out)
{
    *out = fake_real(v)->no_tensor != FAKE_NO_VALUE;
    return NULL;
}

static struct ort_status *fake_GetValueType(const struct ort_value *v, int *out)
{
    *out = fake_real(v)->no_tensor == 1 ? 2 : ORT_KIND_TENSOR;
    return NULL;
}

#define AT(name) [ORT_SLOT_##name] = (ort_function)fake_##name
const ort_function fake_kernel_calls[] = {
    AT(KernelInfo_GetNodeName),
    AT(KernelInfo_GetOperatorType),
    AT(KernelInfo_GetOperatorDomain),
    AT(KernelInfo_GetOperatorSinceVersion),
    AT(KernelInfo_GetInputName),
    AT(KernelInfo_GetOutputName),
    AT(KernelInfoGetConstantInput_tensor),
    AT(KernelInfo_GetInputTypeInfo),
    AT(CastTypeInfoToTensorInfo),
    AT(ReleaseTypeInfo),
    AT(KernelContext_GetInputCount),
    AT(KernelContext_GetOutputCount),
    AT(KernelContext_GetInput),
    AT(HasValue),
    AT(GetValueType),
};
const size_t fake_kernel_calls_count =
        sizeof(fake_kernel_calls) / sizeof(*fake_kernel_calls);

/* --- their library -------------------------------------------------------- */

static uintptr_t at(int word)
{
    return (uintptr_t)&image->words[word];
}

static uintptr_t name(size_t offset)
{
    return (uintptr_t)image->names + offset;
}

static void put(int word, size_t count, const uintptr_t *values)
{
    memcpy(&image->words[word], values, count * sizeof(*values));
}

#define PUT(word, ...)                                                  \
    put(word, sizeof((uintptr_t[]){ __VA_ARGS__ }) / sizeof(uintptr_t), \
            (const uintptr_t[]){ __VA_ARGS__ })

enum {
    NAME_BASE = 8,
    NAME_OTHER = 40,
    NAME_ONE = 64,
    NAME_MORE = 128,
};

static void put_descriptions(void)
{
    const uintptr_t one = UINT64_C(1) << 32, two = UINT64_C(2) << 32;
    const uintptr_t first = 2, further = 16 << 8 | 2, virtual = 3;

    PUT(D_BASE, no_base, name(NAME_BASE));
    PUT(D_STRANGER, no_base, name(NAME_OTHER));
    PUT(D_CHILD, one_base, name(NAME_OTHER), at(D_BASE));
    PUT(D_GRANDCHILD, one_base, name(NAME_OTHER), at(D_CHILD));
    PUT(D_SECOND, more_bases, name(NAME_OTHER), two, at(D_STRANGER), further,
            at(D_BASE), first);
    PUT(D_LATER, more_bases, name(NAME_OTHER), two, at(D_STRANGER), first,
            at(D_BASE), further);
    PUT(D_VIRTUAL, more_bases, name(NAME_OTHER), one, at(D_BASE), virtual);
    PUT(D_CIRCLE, one_base, name(NAME_OTHER), at(D_CIRCLE));
    PUT(D_POINTER, pointer, name(NAME_OTHER), 0, at(D_CHILD));
}

static void put_tables(void)
{
    const uintptr_t f = (uintptr_t)fake_compute, d = (uintptr_t)fake_destroy;

    PUT(T_BASE, 0, at(D_BASE), 0, 0, pure, f);
    PUT(T_CHILD, 0, at(D_CHILD), f, d, f, f);
    PUT(T_GRANDCHILD, 0, at(D_GRANDCHILD), f, d, f, f);
    PUT(T_SECOND, 0, at(D_SECOND), f, d, f, f);
    PUT(T_SECOND_MORE, (uintptr_t)-16, at(D_SECOND), f, f, f, f);
    PUT(T_LATER, 0, at(D_LATER), f, f, f, f);
    PUT(T_VIRTUAL, 0, at(D_VIRTUAL), f, f, f, f);
    PUT(T_CIRCLE, 0, at(D_CIRCLE), f, f, f, f);
    PUT(T_STRANGER, 0, at(D_STRANGER), f, f, f, f);
    PUT(T_ABSTRACT, 0, at(D_CHILD), 0, 0, pure, f);
}

static ElfW(Rela) relocation(int kind)
{
    return (ElfW(Rela)){
        .r_offset = offsetof(struct library_image, imported) +
                    (size_t)kind * sizeof(uintptr_t),
        .r_info = ELF64_R_INFO((uint64_t)kind + 1, 0),
    };
}

static void put_dynamic(void)
{
    const uintptr_t base = (uintptr_t)image;
    const ElfW(Dyn) dynamic[] = {
        { DT_SYMTAB, { base + offsetof(struct library_image, symbols) } },
        { DT_STRTAB, { base + offsetof(struct library_image, names) } },
        { DT_RELA, { base + offsetof(struct library_image, relocations) } },
        { DT_RELASZ, { sizeof(image->relocations) } },
        { DT_NULL, { 0 } },
    };

    memcpy(image->names + NAME_ONE, ONE, sizeof(ONE));
    memcpy(image->names + NAME_MORE, MORE, sizeof(MORE));
    image->symbols[1].st_name = NAME_ONE;
    image->symbols[2].st_name = NAME_MORE;
    for (int i = 0; i < 2; i++)
        image->relocations[i] = relocation(i);
    image->imported[0] = one_base;
    image->imported[1] = more_bases;
    memcpy(image->dynamic, dynamic, sizeof(dynamic));
}

void fake_kernels_of(size_t library)
{
    static struct library_image *images[2];
    static size_t now;

    images[now] = image;
    now = library;
    image = images[now];
}

uintptr_t *fake_kernels_words(void)
{
    if (!image) {
        image = mmap(NULL, sizeof(*image), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (image == MAP_FAILED)
            abort();
        put_dynamic();
    }
    if (mprotect(image->words, PAGE, PROT_READ | PROT_WRITE))
        abort();
    memset(image->words, 0, sizeof(image->words));
    memcpy(image->names + NAME_BASE, "N11onnxruntime8OpKernelE", 25);
    memcpy(image->names + NAME_OTHER, "N11onnxruntime4ReluE", 21);
    put_descriptions();
    put_tables();
    return image->words;
}

struct class_image fake_kernels_image(void)
{
    const uintptr_t f = (uintptr_t)fake_compute, d = (uintptr_t)fake_destroy;

    return (struct class_image){
        .data = { at(0), at(FAKE_WORDS), false },
        .readable = { { at(0), (uintptr_t)(image + 1), false },
                { f, f + 1, true }, { d, d + 1, true } },
        .readable_count = 3,
        .one_base = one_base,
        .more_bases = more_bases,
    };
}

struct image fake_kernels_library(void)
{
    const uintptr_t f = (uintptr_t)fake_compute, d = (uintptr_t)fake_destroy;

    if (mprotect(image->words, PAGE, PROT_READ))
        abort();
    return (struct image){
        .base = (uintptr_t)image,
        .dynamic = image->dynamic,
        .start = (uintptr_t)image,
        .end = (uintptr_t)(image + 1),
        .relro_start = at(0),
        .relro_end = at(0) + PAGE,
        .segments = { { at(0), (uintptr_t)(image + 1), PROT_READ },
                { f, f + 1, PROT_READ | PROT_EXEC },
                { d, d + 1, PROT_READ | PROT_EXEC } },
        .segment_count = 3,
    };
}

struct candidate fake_kernels_candidate(size_t number)
{
    struct candidate c = fake_candidate(number);
    struct image i = fake_kernels_library();

    i.start = c.image.start;
    i.end = c.image.end;
    i.segments[i.segment_count++] = c.image.segments[0];
    c.image = i;
    return c;
}
