/* install_linux.c -- takes the places of Compute and of the destructor in the
 * tables of ONNX Runtime's kernels, while others may be calling through them.
 *
 * The tables lie among what the loader makes read-only once it is done: that is
 * opened for a moment.  A kernel's inference is traced whole or not at all, so
 * a library's tables are all taken, or none.  They are not given back; while
 * nothing is traced, what stands there passes on. */
#include "hook/elf.h"
#include "hook/memory.h"
#include "hook/ops/kernel_tables.h"
#include "hook/ops/ops.h"
#include "hook/text.h"

#include <stdatomic.h>
#include <sys/mman.h>

struct ops_functions *hook_functions;

#ifdef __x86_64__
extern const char hook_compute_entries[], hook_destroy_entries[];
static const char *const compute_entries = hook_compute_entries;
static const char *const destroy_entries = hook_destroy_entries;
#else
static const char *const compute_entries = NULL;
static const char *const destroy_entries = NULL;
#endif

static size_t computes, destroys; /* in use */
static _Atomic bool installing;

/* Room to look for tables in, given back afterwards. */
struct workshop {
    struct class_table found[KERNEL_TABLES_MAX];
    uintptr_t *tables[KERNEL_TABLES_MAX];
    uint16_t compute[KERNEL_TABLES_MAX], destroy[KERNEL_TABLES_MAX];
};

/* A loaded library as class_tables.h wants to see it.  False: it has no classes
 * that we can read. */
static bool image_of(struct class_image *out, const struct image *i)
{
    const uintptr_t *one = (const uintptr_t *)elf_imports(i->base, i->dynamic,
            "_ZTVN10__cxxabiv120__si_class_type_infoE");
    const uintptr_t *more = (const uintptr_t *)elf_imports(i->base, i->dynamic,
            "_ZTVN10__cxxabiv121__vmi_class_type_infoE");

    if (!one || !more)
        return false;
    *out = (struct class_image){
        .data = { i->relro_start, i->relro_end, false },
        .one_base = *one,
        .more_bases = *more,
    };
    for (size_t k = 0; k < i->segment_count && k < CLASS_RANGES; k++)
        if (i->segments[k].protection & PROT_READ)
            out->readable[out->readable_count++] =
                    (struct class_range){ i->segments[k].start,
                        i->segments[k].end,
                        i->segments[k].protection & PROT_EXEC };
    return true;
}

/* The number of the entry that stands for the function; OPS_ENTRIES: there are
 * no more. */
static size_t entry_for(uintptr_t *functions, size_t *count, uintptr_t function)
{
    size_t i = 0;

    while (i < *count && functions[i] != function)
        i++;
    if (i == *count && i < OPS_ENTRIES)
        functions[(*count)++] = function;
    return i;
}

static bool find_entries(struct workshop *w, size_t count, uint8_t library)
{
    struct ops_functions *f = hook_functions;

    for (size_t i = 0; i < count; i++) {
        size_t c =
                entry_for(f->compute, &computes, w->tables[i][KERNEL_COMPUTE]);
        size_t d =
                entry_for(f->destroy, &destroys, w->tables[i][KERNEL_DESTROY]);

        if (c >= OPS_ENTRIES || d >= OPS_ENTRIES)
            return false;
        f->library[c] = library;
        w->compute[i] = (uint16_t)c;
        w->destroy[i] = (uint16_t)d;
    }
    return true;
}

static void put(uintptr_t *word, const char *entries, size_t number)
{
    atomic_store((_Atomic uintptr_t *)word,
            (uintptr_t)entries + number * OPS_ENTRY_SIZE);
}

static enum tracing redirect(struct workshop *w, const struct image *i,
        uint8_t library)
{
    struct class_image image;
    size_t count = image_of(&image, i)
                           ? kernel_tables_find(w->tables, KERNEL_TABLES_MAX,
                                     w->found, &image)
                           : 0;
    void *data = (void *)i->relro_start;
    size_t bytes = i->relro_end - i->relro_start;

    if (!count)
        return TRACING_NO_TYPES;
    if (!hook_functions)
        hook_functions = memory_pages(sizeof(*hook_functions));
    if (!hook_functions || !find_entries(w, count, library))
        return TRACING_REFUSED;
    if (mprotect(data, bytes, PROT_READ | PROT_WRITE)) {
        (void)mprotect(data, bytes, PROT_READ); /* what of it was opened */
        return TRACING_REFUSED;
    }
    for (size_t k = 0; k < count; k++) {
        put(&w->tables[k][KERNEL_COMPUTE], compute_entries, w->compute[k]);
        put(&w->tables[k][KERNEL_DESTROY], destroy_entries, w->destroy[k]);
    }
    (void)mprotect(data, bytes, PROT_READ);
    return TRACING_ON;
}

static enum tracing install(const struct image *i, uint8_t library)
{
    struct workshop *w = memory_pages(sizeof(*w));
    enum tracing result = TRACING_REFUSED;

    if (w) {
        result = redirect(w, i, library);
        memory_give_back(w, sizeof(*w));
    }
    return result;
}

static enum tracing install_library(struct library *lib)
{
    if (!compute_entries)
        return TRACING_PROCESSOR;
    if (lib->minor < ORT_SINCE_KernelInfo_GetNodeName)
        return TRACING_TOO_OLD;
    return install(&lib->image, lib->index);
}

/* One thread at a time; another does without for now. */
void ops_install(struct library *lib)
{
    if (lib->tracing != TRACING_OFF || atomic_exchange(&installing, true))
        return;
    if (lib->tracing == TRACING_OFF) {
        channel_reserve_for_runtime(); /* there will be more to send */
        object_tracing(lib, install_library(lib));
    }
    atomic_store(&installing, false);
}

void ops_in_child(void)
{
    atomic_store(&installing, false);
    trace_in_child();
}

void ops_give_up(struct library *lib)
{
    if (lib->tracing == TRACING_ON)
        object_tracing(lib, TRACING_UNKNOWN);
}

/* --- providers' libraries ------------------------------------------------- */

#define PROVIDERS 16

void ops_install_providers(struct library *lib)
{
    static _Atomic uintptr_t met[PROVIDERS]; /* where they are loaded */
    struct image i;

    if (lib->tracing != TRACING_ON || atomic_exchange(&installing, true))
        return;
    for (size_t n = 0; n < PROVIDERS; n++) {
        if (!hook_find_object(&i, "libonnxruntime_providers_", met, PROVIDERS))
            break;
        (void)install(&i, lib->index);
    }
    atomic_store(&installing, false);
}
