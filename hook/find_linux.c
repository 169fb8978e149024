/* find_linux.c -- finds ONNX Runtime in this process, whenever it comes.
 *
 * Three moments: at start, after a dlopen() that we may stand in for, and at
 * the dlsym() or dlopen() that follows one that we may not.  An object is ONNX
 * Runtime if it defines OrtGetApiBase itself, whatever its name.
 *
 * An object shows up in the list before the loader has finished with it, in
 * another thread.  Asking the loader for it again (RTLD_NOLOAD) waits for that
 * and pins it.  We hold no lock of ours meanwhile: the loader runs
 * constructors, and they may call dlopen() too. */
#include "hook/elf.h"
#include "hook/ops/ops.h"
#include "hook/python/python.h"
#include "hook/text.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

void *(*hook_real_dlopen)(const char *name, int flags);
void *(*hook_real_dlsym)(void *handle, const char *name);
long (*hook_real_syscall)(long number, ...);

/* Room for what a program tells that is at work already: 2 MB. */
#define LISTEN_RECORDS (UINT32_C(1) << 15)

static bool active;           /* the collector's folder is there */
static _Atomic bool pending;  /* something was loaded behind our back */
static _Atomic bool patching; /* a thread is at it */
static _Atomic uint64_t loads_seen;

/* Old C libraries have it in a library of its own, which may not be there. */
extern char *dlerror(void) __attribute__((weak));

/* The loader's list of objects: glibc's and musl's name for it. */
extern struct r_debug _r_debug __attribute__((weak));
extern struct r_debug *_dl_debug_addr __attribute__((weak));
extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

static const struct link_map *first_object(void)
{
    if (&_r_debug)
        return _r_debug.r_map;
    return &_dl_debug_addr && _dl_debug_addr ? _dl_debug_addr->r_map : NULL;
}

/* The next definition after ours, as RTLD_NEXT means it: one before ours may
 * be a sanitizer's, which ends up here itself.  If the program loaded us when
 * it ran already there is none, and nothing ends up here: then the first. */
uintptr_t hook_next_definition(const char *name)
{
    bool after_us = false;
    uintptr_t before = 0;

    for (const struct link_map *m = first_object(); m; m = m->l_next) {
        uintptr_t found =
                m->l_ld == _DYNAMIC ? 0 : elf_defines(m->l_addr, m->l_ld, name);

        if (found && after_us)
            return found;
        if (!before)
            before = found;
        after_us |= m->l_ld == _DYNAMIC;
    }
    return before;
}

void hook_find_real(void)
{
    if (!hook_real_syscall)
        hook_real_syscall =
                (long (*)(long, ...))hook_next_definition("syscall");
    if (!hook_real_dlopen)
        hook_real_dlopen =
                (void *(*)(const char *, int))hook_next_definition("dlopen");
    if (!hook_real_dlsym)
        hook_real_dlsym =
                (void *(*)(void *, const char *))hook_next_definition("dlsym");
}

/* Is there another copy of this library that the program meets first? */
static bool second_copy(void)
{
    for (const struct link_map *m = first_object(); m; m = m->l_next) {
        if (m->l_ld == _DYNAMIC)
            return false;
        if (elf_defines(m->l_addr, m->l_ld, "ortmeter_version"))
            return true;
    }
    return false;
}

/* --- looking through the objects ------------------------------------------ */

struct search {
    struct candidate found;
    char path[HOOK_PATH];
    uint64_t loads; /* how many objects were ever loaded */
};

static const ElfW(Dyn) * dynamic_of(const struct dl_phdr_info *o)
{
    for (size_t i = 0; i < o->dlpi_phnum; i++)
        if (o->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const ElfW(Dyn) *)(o->dlpi_addr + o->dlpi_phdr[i].p_vaddr);
    return NULL;
}

static void add_segment(struct image *i, uintptr_t start, uintptr_t end,
        uint32_t flags)
{
    int protection = (flags & PF_R ? PROT_READ : 0) |
                     (flags & PF_W ? PROT_WRITE : 0) |
                     (flags & PF_X ? PROT_EXEC : 0);

    if (start < i->start)
        i->start = start;
    if (end > i->end)
        i->end = end;
    if (i->segment_count < sizeof(i->segments) / sizeof(*i->segments))
        i->segments[i->segment_count++] =
                (struct segment){ start, end, protection };
}

static struct image measure(const struct dl_phdr_info *o)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    struct image i = {
        .base = o->dlpi_addr,
        .dynamic = dynamic_of(o),
        .start = UINTPTR_MAX,
    };

    for (size_t k = 0; k < o->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &o->dlpi_phdr[k];
        uintptr_t start = o->dlpi_addr + p->p_vaddr;
        uintptr_t end = start + p->p_memsz;

        if (p->p_type == PT_LOAD)
            add_segment(&i, start, end, p->p_flags);
        if (p->p_type == PT_GNU_RELRO) {
            i.relro_start = start & ~(page - 1);
            i.relro_end = end & ~(page - 1);
        }
    }
    return i;
}

/* Known already, or refused already. */
static _Atomic uintptr_t met[2 * LIBRARIES];

static bool was_met(uintptr_t entry)
{
    for (size_t i = 0; i < sizeof(met) / sizeof(met[0]); i++)
        if (atomic_load(&met[i]) == entry)
            return true;
    return false;
}

static bool remember(uintptr_t entry)
{
    for (size_t i = 0; i < sizeof(met) / sizeof(met[0]); i++) {
        uintptr_t nobody = 0;

        if (atomic_compare_exchange_strong(&met[i], &nobody, entry))
            return true;
    }
    return false;
}

static bool copy_path(char *to, const char *from)
{
    size_t len = text_len(from);

    if (len >= HOOK_PATH)
        return false;
    for (size_t i = 0; i <= len; i++)
        to[i] = from[i];
    return true;
}

struct object_search {
    uintptr_t address;
    struct image *out;
    char *path;
};

static int look_for_object(struct dl_phdr_info *o, size_t size, void *data)
{
    struct object_search *s = data;
    struct image here = measure(o);

    (void)size;
    if (s->address < here.start || s->address >= here.end ||
            !copy_path(s->path, o->dlpi_name ? o->dlpi_name : ""))
        return 0;
    *s->out = here;
    return 1;
}

bool hook_object_at(struct image *out, char path[HOOK_PATH], uintptr_t address)
{
    struct object_search s = { address, out, path };

    return dl_iterate_phdr(look_for_object, &s) == 1;
}

/* Stops at the first runtime that was not met before. */
static int look_at(struct dl_phdr_info *o, size_t size, void *data)
{
    struct search *s = data;
    const char *name = o->dlpi_name ? o->dlpi_name : "";

    (void)size;
    s->loads = o->dlpi_adds;
    if (atomic_load(&loads_seen) == s->loads)
        return -1;

    uintptr_t entry = elf_defines(o->dlpi_addr, dynamic_of(o), "OrtGetApiBase");

    if (!entry || was_met(entry) || !copy_path(s->path, name))
        return 0;
    s->found.image = measure(o);
    s->found.get_base = (const struct ort_api_base *(*)(void))entry;
    return 1;
}

/* Waits until the loader is through with it, and keeps it loaded. */
static bool pin(const char *path)
{
    if (!*path)
        return true; /* the program itself */
    if (!hook_real_dlopen)
        return false;
    if (hook_real_dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
        return true;
    if (dlerror)
        (void)dlerror(); /* that was our question, not the program's */
    return false;
}

static void enter(struct search *s)
{
    if (atomic_exchange(&patching, true)) {
        atomic_store(&pending, true); /* the other thread's turn; then ours */
        return;
    }

    uintptr_t entry = (uintptr_t)s->found.get_base;

    s->found.path = s->path;
    channel_reserve_for_runtime();
    if (!was_met(entry) && remember(entry) && patch(&s->found))
        channel_set_hook_ns(run_cost_ns());
    atomic_store(&patching, false);
}

/* `may_pin`: not while the program starts, when nothing can be unloaded. */
static void scan(bool may_pin)
{
    int saved = errno;

    for (int i = 0; i < 2 * LIBRARIES; i++) {
        struct search s = { 0 };
        int found = dl_iterate_phdr(look_at, &s);

        if (found == 0)
            atomic_store(&loads_seen, s.loads);
        if (found <= 0)
            break;
        if (may_pin && !pin(s.path))
            break; /* it is on its way out */
        enter(&s);
        if (atomic_load(&pending))
            break;
    }
    errno = saved;
}

/* --- objects by their names ----------------------------------------------- */

struct wanted {
    const char *name;
    const _Atomic uintptr_t *met;
    size_t met_count;
    struct image found;
    char path[HOOK_PATH];
};

static int look_for_name(struct dl_phdr_info *o, size_t size, void *data)
{
    struct wanted *w = data;

    (void)size;
    if (!o->dlpi_name || !text_contains(o->dlpi_name, w->name))
        return 0;
    for (size_t i = 0; i < w->met_count; i++)
        if (atomic_load(&w->met[i]) == o->dlpi_addr)
            return 0;
    w->found = measure(o);
    return copy_path(w->path, o->dlpi_name);
}

bool hook_find_object(struct image *out, const char *name,
        _Atomic uintptr_t *seen, size_t count)
{
    struct wanted w = { .name = name, .met = seen, .met_count = count };

    if (!dl_iterate_phdr(look_for_name, &w))
        return false;
    for (size_t i = 0; i < count; i++) {
        uintptr_t nobody = 0;

        if (!atomic_compare_exchange_strong(&seen[i], &nobody, w.found.base))
            continue;
        *out = w.found;
        return pin(w.path);
    }
    return false;
}

/* --- where the program passes by ------------------------------------------ */

struct caller {
    uintptr_t address;
    bool has_rpath;
};

static int look_for_rpath(struct dl_phdr_info *o, size_t size, void *data)
{
    struct caller *c = data;
    struct image where = measure(o);

    (void)size;
    if (c->address < where.start || c->address >= where.end)
        return 0;
    c->has_rpath = elf_entry(dynamic_of(o), DT_RPATH) &&
                   !elf_entry(dynamic_of(o), DT_RUNPATH);
    return 1;
}

/* May we call dlopen in the caller's place?  Not where the loader would look
 * at the caller: names without '/', $ORIGIN, and DT_RPATH, which is passed on
 * to what the new object needs. */
static bool same_from_here(const char *name, const void *caller)
{
    struct caller c = { .address = (uintptr_t)caller };

    if (!text_has(name, '/') || text_has(name, '$'))
        return false;
    (void)dl_iterate_phdr(look_for_rpath, &c);
    return !c.has_rpath;
}

static void scan_if_pending(void)
{
    if (atomic_load_explicit(&pending, memory_order_relaxed) &&
            atomic_exchange(&pending, false))
        scan(true);
}

bool hook_before_dlopen(const char *name, const void *caller)
{
    hook_find_real();
    if (!active || !name)
        return false;
    scan_if_pending();
    if (same_from_here(name, caller))
        return true;
    atomic_store(&pending, true);
    return false;
}

void hook_after_dlopen(void *handle)
{
    if (handle)
        scan(true);
}

void *hook_before_dlsym(void *handle, const char *name)
{
    hook_find_real();
    if (!active)
        return NULL;
    scan_if_pending();
    return python_init_for(handle, name);
}

/* Another collector is to know them, too. */
static void tell_libraries_again(void)
{
    for (size_t i = 0; i < LIBRARIES; i++) {
        struct library *lib = &hook_libraries[i];
        struct image image = { 0 };
        char path[HOOK_PATH];

        if (!lib->found.kind || !hook_object_at(&image, path, lib->image.start))
            continue;
        object_library(lib, path, lib->version, lib->found.library_found.slots);
        if (lib->language)
            object_language(lib, NULL, lib->language);
    }
}

int hook_listen(const char *dir)
{
    int why = second_copy() ? EEXIST : channel_listen(dir);

    if (why)
        return why;
    active = true;
    channel_reserve(LISTEN_RECORDS);
    kernels_again();
    tell_libraries_again();
    scan(true);
    return 0;
}

void hook_stop(void)
{
    active = false;
    channel_stop();
}

/* In a child of fork() another thread's work is nobody's. */
void hook_in_child(void)
{
    atomic_store(&patching, false);
    ops_in_child();
}

__attribute__((constructor)) static void start(void)
{
    hook_find_real();
    exec_init();
    if (second_copy())
        return;
    channel_init();
    active = channel_wanted();
    if (active)
        scan(false);
}
