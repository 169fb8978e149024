#include "fake_kernels.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

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
    char names[256];
    ElfW(Sym) symbols[3];
    ElfW(Rela) relocations[2];
    ElfW(Dyn) dynamic[6];
    uintptr_t kinds[2]; /* where the loader put the two addresses */
} * image;

/* --- kernels -------------------------------------------------------------- */

extern _Atomic uint64_t fake_clock_ns __attribute__((weak));

void *fake_compute(void *status, struct fake_kernel *k, void *context)
{
    if (context != &k->ran)
        abort();
    k->ran++;
    if (k->during)
        k->during(k);
    if (&fake_clock_ns)
        fake_clock_ns += k->took_ns;
    return status;
}

void fake_kernel_run(struct fake_kernel *k)
{
    void *(*compute)(void *, struct fake_kernel *, void *) = (void *(*)(void *,
            struct fake_kernel *, void *))k->table[KERNEL_COMPUTE];
    int status;

    if (compute(&status, k, &k->ran) != &status)
        abort();
}

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

enum { NAME_BASE = 8, NAME_OTHER = 40, NAME_ONE = 64, NAME_MORE = 128 };

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
    const uintptr_t f = (uintptr_t)fake_compute;

    PUT(T_BASE, 0, at(D_BASE), 0, 0, pure, f);
    PUT(T_CHILD, 0, at(D_CHILD), f, f, f, f);
    PUT(T_GRANDCHILD, 0, at(D_GRANDCHILD), f, f, f, f);
    PUT(T_SECOND, 0, at(D_SECOND), f, f, f, f);
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
        .r_offset = offsetof(struct library_image, kinds) +
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
    image->relocations[0] = relocation(0);
    image->relocations[1] = relocation(1);
    image->kinds[0] = one_base;
    image->kinds[1] = more_bases;
    memcpy(image->dynamic, dynamic, sizeof(dynamic));
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

struct kernel_image fake_kernels_image(void)
{
    const uintptr_t f = (uintptr_t)fake_compute;

    return (struct kernel_image){
        .data = { at(0), at(FAKE_WORDS), false },
        .readable = { { at(0), (uintptr_t)(image + 1), false },
                { f, f + 1, true } },
        .readable_count = 2,
        .one_base = one_base,
        .more_bases = more_bases,
    };
}

struct candidate fake_kernels_library(void)
{
    const uintptr_t f = (uintptr_t)fake_compute;

    if (mprotect(image->words, PAGE, PROT_READ))
        abort();
    return (struct candidate){
        .base = (uintptr_t)image,
        .dynamic = image->dynamic,
        .start = (uintptr_t)image,
        .end = (uintptr_t)(image + 1),
        .relro_start = at(0),
        .relro_end = at(0) + PAGE,
        .segments = { { at(0), (uintptr_t)(image + 1), false },
                { f, f + 1, true } },
        .segment_count = 2,
    };
}
