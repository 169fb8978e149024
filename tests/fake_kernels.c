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
#define TEXT                                      \
    "_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic" \
    "_stringIcSt11char_traitsIcESaIcEEE"
#define POOL "N11onnxruntime11concurrency27ExtendedThreadPoolInterfaceE"

/* Functions and kinds of descriptions of the C++ library's, which is another.
 */
static const uintptr_t no_base = 1, one_base = 2, more_bases = 3, pointer = 4,
                       pure = 5;

static struct library_image {
    _Alignas(PAGE) uintptr_t words[FAKE_WORDS]; /* read-only, later */
    char rest[PAGE - FAKE_WORDS * sizeof(uintptr_t)];
    char names[512];
    ElfW(Sym) symbols[4];
    ElfW(Rela) relocations[3];
    ElfW(Dyn) dynamic[6];
    uintptr_t imported[3]; /* where the loader put the addresses */
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

enum {
    NAME_BASE = 8,
    NAME_OTHER = 40,
    NAME_ONE = 64,
    NAME_MORE = 128,
    NAME_TEXT = 192,
    NAME_POOL = 320
};

/* Two functions of a pool, as compilers make them: they count in the part of
 * the object behind the table's address. */
enum { CODE_START = 0, CODE_STOP = 64, CODE_BYTES = 128 };

static const unsigned char start_code[] = { 0xf3, 0x0f, 0x1e,
    0xfa,                         /* endbr64 */
    0x48, 0x83, 0xc7, 0x08,       /* add $8, %rdi */
    0xe9, 0x00, 0x00, 0x00, 0x00, /* jmp to the next */
    0xff, 0x07, 0xc3 };           /* incl (%rdi); ret */
static const unsigned char stop_code[] = { 0xf3, 0x0f, 0x1e, 0xfa, /* endbr64 */
    0x53, 0x48, 0x83, 0xc6, 0x08,               /* push %rbx; add $8, %rsi */
    0xff, 0x0e, 0x48, 0x89, 0xf8, 0x5b, 0xc3 }; /* decl (%rsi);
                                               mov %rdi, %rax; pop %rbx; ret */
static unsigned char *code;

static void put_code(void)
{
    code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
            -1, 0);
    if (code == MAP_FAILED)
        abort();
    memcpy(code + CODE_START, start_code, sizeof(start_code));
    memcpy(code + CODE_STOP, stop_code, sizeof(stop_code));
    if (mprotect(code, PAGE, PROT_READ | PROT_EXEC))
        abort();
}

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
    PUT(D_POOLS, no_base, name(NAME_POOL));
    PUT(D_POOL, one_base, name(NAME_OTHER), at(D_POOLS));
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
    PUT(T_POOL, 0, at(D_POOL), f, f, f, f, f, f, f, f, f, f, f,
            (uintptr_t)code + CODE_START, (uintptr_t)code + CODE_STOP, f, f);
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
    memcpy(image->names + NAME_TEXT, TEXT, sizeof(TEXT));
    memcpy(image->names + NAME_POOL, POOL, sizeof(POOL));
    image->symbols[1].st_name = NAME_ONE;
    image->symbols[2].st_name = NAME_MORE;
    image->symbols[3].st_name = NAME_TEXT;
    for (int i = 0; i < 3; i++)
        image->relocations[i] = relocation(i);
    image->imported[0] = one_base;
    image->imported[1] = more_bases;
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
        put_code();
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
    const uintptr_t f = (uintptr_t)fake_compute;

    return (struct class_image){
        .data = { at(0), at(FAKE_WORDS), false },
        .readable = { { at(0), (uintptr_t)(image + 1), false },
                { f, f + 1, true },
                { (uintptr_t)code, (uintptr_t)code + CODE_BYTES, true } },
        .readable_count = 3,
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
                { f, f + 1, true },
                { (uintptr_t)code, (uintptr_t)code + CODE_BYTES, true } },
        .segment_count = 3,
    };
}
