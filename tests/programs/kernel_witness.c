/* kernel_witness.c -- times the kernels of any model by itself, to bear witness
 * for or against whoever else does:
 *
 *     kernel_witness LIBRARY MODEL COUNT [INPUT=1x512...]
 *
 * After a first inference the word of Compute in every class's table leads
 * here, to a plain function of C around what stood there.  Prints what became
 * of the tables' words until then, as a number that is the same wherever the
 * library lies, how many classes have another way to run than Compute, and for
 * each type of operator how often it ran in the COUNT inferences that follow
 * and its own time, in nanoseconds, in the median of each kernel's runs:
 *
 *     words COUNT SUM, CLASSES asynchronous
 *     TYPE <tab> COUNT <tab> NS */
#include "base/alloc.h"
#include "base/map.h"
#include "hook/elf.h"
#include "hook/ops/kernel_tables.h"
#include "ort_host.h"
#include "os/ticks.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { KERNELS = 4096, TYPES = 256, DEPTH = 64, PAGE = 4096 };

/* What stands behind Compute in a table. */
enum { KERNEL_IS_ASYNC = KERNEL_COMPUTE + 1, KERNEL_COMPUTE_ASYNC };

typedef void *(*compute_function)(void *result, uintptr_t *self, void *context);

struct kernel {
    const uintptr_t *self; /* NULL: nobody is here */
    compute_function compute;
    size_t type;
    uint32_t *ticks; /* of each run */
    size_t runs;
};

struct type {
    char name[64];
    uint64_t runs;
    double ticks; /* medians of its kernels' runs, times their runs */
};

static struct {
    const struct host *host;
    struct map functions; /* table to what stood there */
    struct kernel kernel[KERNELS];
    size_t inferences;
    uint64_t within[DEPTH]; /* ticks of kernels in the one of that depth, and
                               what timing them took */
    size_t depth;
} seen;

static struct type types[TYPES];
static size_t type_count;

static size_t type_of(const uintptr_t *kernel)
{
    char name[sizeof(types[0].name)];
    size_t size = sizeof(name), i = 0;

    host_check(seen.host,
            ORT(seen.host->api, KernelInfo_GetOperatorType)(
                    (const struct ort_kernel_info *)kernel[1], name, &size));
    while (i < type_count && strcmp(types[i].name, name) != 0)
        i++;
    if (i == TYPES)
        die("too many types");
    if (i == type_count)
        memcpy(types[type_count++].name, name, sizeof(name));
    return i;
}

static void meet(struct kernel *k, const uintptr_t *self)
{
    const uint64_t *function = map_find(&seen.functions, self[0]);

    if (!function)
        die("a kernel of no class that was found");
    *k = (struct kernel){ .self = self,
        .compute = (compute_function)*function,
        .type = type_of(self),
        .ticks = alloc_zero(seen.inferences, sizeof(*k->ticks)) };
}

static struct kernel *find(const uintptr_t *self)
{
    for (size_t i = 0; i < KERNELS; i++) {
        struct kernel *k = &seen.kernel[((uintptr_t)self / 32 + i) % KERNELS];

        if (k->self == self)
            return k;
        if (!k->self) {
            meet(k, self);
            return k;
        }
    }
    die("too many kernels");
}

static void *timed(void *result, uintptr_t *self, void *context)
{
    uint64_t came = ticks_now(), start, took;
    struct kernel *k = find(self);

    if (seen.depth + 1 == DEPTH || k->runs == seen.inferences)
        die("too deep, or a kernel that runs more than once an inference");
    seen.within[++seen.depth] = 0;
    start = ticks_now();
    result = k->compute(result, self, context);
    took = ticks_now() - start;
    k->ticks[k->runs++] = (uint32_t)(took - seen.within[seen.depth--]);
    seen.within[seen.depth] += ticks_now() - came;
    return result;
}

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void sum_up(void)
{
    for (size_t i = 0; i < KERNELS; i++) {
        struct kernel *k = &seen.kernel[i];

        if (!k->runs)
            continue;
        qsort(k->ticks, k->runs, sizeof(*k->ticks), by_size);
        types[k->type].runs += k->runs;
        types[k->type].ticks += (double)k->ticks[k->runs / 2] * (double)k->runs;
        free(k->ticks);
    }
}

/* --- the tables ----------------------------------------------------------- */

struct loaded {
    uintptr_t within; /* an address of the library */
    struct class_image image;
    uintptr_t base;
};

static int look(struct dl_phdr_info *info, size_t size, void *to)
{
    struct loaded *l = to;
    const ElfW(Dyn) *dynamic = NULL;
    bool is_it = false;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + p->p_vaddr;

        if (p->p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)at;
        is_it |= p->p_type == PT_LOAD && l->within >= at &&
                 l->within - at < p->p_memsz;
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        struct class_range r = { info->dlpi_addr + p->p_vaddr,
            info->dlpi_addr + p->p_vaddr + p->p_memsz, p->p_flags & PF_X };

        if (is_it && p->p_type == PT_GNU_RELRO)
            l->image.data = r;
        if (is_it && p->p_type == PT_LOAD && p->p_flags & PF_R &&
                l->image.readable_count < CLASS_RANGES)
            l->image.readable[l->image.readable_count++] = r;
    }
    if (!is_it)
        return 0;
    l->base = info->dlpi_addr;

    uintptr_t one = elf_imports(l->base, dynamic,
                      "_ZTVN10__cxxabiv120__si_class_type_infoE"),
              more = elf_imports(l->base, dynamic,
                      "_ZTVN10__cxxabiv121__vmi_class_type_infoE");

    if (!one || !more)
        die("the library has no classes");
    l->image.one_base = *(const uintptr_t *)one;
    l->image.more_bases = *(const uintptr_t *)more;
    return 1;
}

/* Where they are does not depend on who stands in them: all of a class derived
 * from OpKernel are taken, but those of which Compute is missing. */
static size_t find_tables(uintptr_t **out, const uintptr_t **base,
        const struct loaded *l)
{
    static struct class_table room[KERNEL_TABLES_MAX];
    size_t found = class_tables_find(room, KERNEL_TABLES_MAX, &l->image,
            "N11onnxruntime8OpKernelE", KERNEL_COMPUTE_ASYNC + 1);
    size_t count = 0;

    for (size_t i = 0; i < found; i++) {
        if (room[i].is_base)
            *base = room[i].functions;
        if (room[i].functions[0] && room[i].functions[KERNEL_DESTROY])
            out[count++] = (uintptr_t *)(uintptr_t)room[i].functions;
    }
    return count;
}

/* IsAsync() and ComputeAsync(), where they are not OpKernel's own. */
static size_t count_async(uintptr_t *const *tables, size_t count,
        const uintptr_t *base)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        n += tables[i][KERNEL_IS_ASYNC] != base[KERNEL_IS_ASYNC] ||
             tables[i][KERNEL_COMPUTE_ASYNC] != base[KERNEL_COMPUTE_ASYNC];
    return n;
}

static uint64_t sum_words(uintptr_t *const *tables, size_t count,
        uintptr_t base)
{
    uint64_t sum = SUM_START;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k <= KERNEL_COMPUTE; k++)
            sum = (sum ^ (tables[i][k] - base)) * UINT64_C(0x100000001b3);
    return sum;
}

static void take(uintptr_t *const *tables, size_t count,
        const struct class_range *data)
{
    uintptr_t start = data->start & ~(uintptr_t)(PAGE - 1);

    if (mprotect((void *)start, data->end - start, PROT_READ | PROT_WRITE) != 0)
        die("the tables cannot be opened");
    for (size_t i = 0; i < count; i++) {
        map_put(&seen.functions, (uintptr_t)tables[i],
                tables[i][KERNEL_COMPUTE]);
        tables[i][KERNEL_COMPUTE] = (uintptr_t)timed;
    }
}

/* --- ticks ---------------------------------------------------------------- */

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv)
{
    static uintptr_t *tables[KERNEL_TABLES_MAX];
    struct loaded l = { 0 };
    struct host h = { 0 };
    struct job j = { 0 };

    if (argc < 4)
        die("use: %s LIBRARY MODEL COUNT [INPUT=1x512...]", argv[0]);
    h.shapes = argv + 4;
    seen.inferences = (size_t)number(argv[3]);

    const struct ort_api_base *base = library_base(library_open(argv[1], 0));

    host_open(&h, base);
    seen.host = &h;
    job_open_alone(&j, &h, argv[2]);
    (void)job_repeat(&j, 1);

    l.within = (uintptr_t)base;
    (void)dl_iterate_phdr(look, &l);

    const uintptr_t *op_kernel = NULL;
    size_t count = find_tables(tables, &op_kernel, &l);

    if (!count || !op_kernel)
        die("no kernels were found");
    printf("words %zu %016" PRIx64 ", %zu asynchronous\n",
            count * (KERNEL_COMPUTE + 1), sum_words(tables, count, l.base),
            count_async(tables, count, op_kernel));
    take(tables, count, &l.image.data);

    uint64_t ticks = ticks_now(), ns = now_ns();

    (void)job_repeat(&j, seen.inferences);
    ticks = ticks_now() - ticks;
    ns = now_ns() - ns;
    sum_up();
    for (size_t i = 0; i < type_count; i++)
        printf("%s\t%" PRIu64 "\t%.0f\n", types[i].name, types[i].runs,
                types[i].ticks * (double)ns / (double)ticks);
    job_close(&j);
    host_close(&h);
    map_release(&seen.functions);
    return 0;
}
