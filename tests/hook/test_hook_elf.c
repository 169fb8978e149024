/* test_hook_elf.c -- looking into loaded objects without asking the loader:
 * tables made by hand, and the real ones of this process. */
#include "base/compiler.h"
#include "hook/elf.h"
#include "test.h"

#include <dlfcn.h>
#include <stdalign.h>
#include <stddef.h>
#include <string.h>

/* --- by hand -------------------------------------------------------------- */

/* An object at this address; its symbols lie so far behind. */
static struct object {
    ElfW(Sym) symbols[4];
    char names[32];
    uint32_t sysv[2 + 3 + 4]; /* three buckets, four symbols */
    alignas(8) uint32_t gnu[4 + 2 + 1 + 3];
    ElfW(Dyn) dynamic[6];
} object;

static uint32_t gnu_hash(const char *name)
{
    uint32_t h = 5381;

    for (; *name; name++)
        h = h * 33 + (unsigned char)*name;
    return h;
}

static uint32_t sysv_hash(const char *name)
{
    uint32_t h = 0;

    for (; *name; name++) {
        uint32_t g;

        h = (h << 4) + (unsigned char)*name;
        g = h & 0xf0000000;
        if (g)
            h ^= g >> 24;
        h &= ~g;
    }
    return h;
}

static void put_symbol(size_t n, size_t name, uint64_t value, uint16_t section)
{
    object.symbols[n] = (ElfW(Sym)){ .st_name = (uint32_t)name,
        .st_value = value,
        .st_shndx = section };
}

/* Symbols: none, alpha at 0x100, beta that is undefined, gamma at 0x300.  In
 * the loaded section glibc has addresses, and musl has offsets. */
static void fill(bool gnu, bool offsets)
{
    static const char *const known[] = { "alpha", "beta", "gamma" };
    uintptr_t base = (uintptr_t)&object;
    size_t n = 0;

    memset(&object, 0, sizeof(object));
    memcpy(object.names, "\0alpha\0beta\0gamma", 18);
    put_symbol(1, 1, 0x100, 5);
    put_symbol(2, 7, 0x200, SHN_UNDEF);
    put_symbol(3, 12, 0x300, 5);

#define PLACE(member) ((offsets ? 0 : base) + offsetof(struct object, member))
    object.dynamic[n++] = (ElfW(Dyn)){ DT_STRTAB, { PLACE(names) } };
    /* A table at offset 0 has no offset that tells it from none. */
    object.dynamic[n++] = (ElfW(Dyn)){ DT_SYMTAB,
        { base + offsetof(struct object, symbols) } };
    if (gnu) {
        /* One bucket, symbols from 1, one word of filter that lets all in. */
        uint32_t head[] = { 1, 1, 1, 6, UINT32_MAX, UINT32_MAX, 1 };

        memcpy(object.gnu, head, sizeof(head));
        for (size_t i = 0; i < 3; i++)
            object.gnu[7 + i] = (gnu_hash(known[i]) & ~1u) | (i == 2);
        object.dynamic[n++] = (ElfW(Dyn)){ DT_GNU_HASH, { PLACE(gnu) } };
    } else {
        object.sysv[0] = 3;
        object.sysv[1] = 4;
        for (uint32_t i = 1; i < 4; i++) {
            uint32_t *bucket = &object.sysv[2 + sysv_hash(known[i - 1]) % 3];

            object.sysv[5 + i] = *bucket;
            *bucket = i;
        }
        object.dynamic[n++] = (ElfW(Dyn)){ DT_HASH, { PLACE(sysv) } };
    }
#undef PLACE
}

static uintptr_t look(const char *name)
{
    uintptr_t base = (uintptr_t)&object;
    uintptr_t found = elf_defines(base, object.dynamic, name);

    return found ? found - base : 0;
}

static void by_hand(void)
{
    for (int i = 0; i < 4; i++) {
        fill(i & 1, i & 2);
        CHECK_INT(look("alpha"), 0x100);
        CHECK_INT(look("beta"), 0); /* it is wanted there, not defined */
        CHECK_INT(look("gamma"), 0x300);
        CHECK_INT(look("alphabet"), 0);
        CHECK_INT(look("alph"), 0);
        CHECK_INT(look(""), 0);
    }
}

static void missing_parts(void)
{
    fill(true, false);
    CHECK(elf_entry(object.dynamic, DT_STRTAB) == &object.dynamic[0]);
    CHECK(elf_entry(object.dynamic, DT_RPATH) == NULL);
    CHECK(elf_entry(NULL, DT_STRTAB) == NULL);
    CHECK_INT(elf_defines(0x1000, NULL, "alpha"), 0);
    for (size_t i = 0; i < 3; i++) {
        fill(true, false);
        object.dynamic[i].d_tag = DT_DEBUG;
        CHECK_INT(look("alpha"), 0);
        fill(true, false);
        object.dynamic[i].d_un.d_ptr = 0;
        CHECK_INT(look("alpha"), 0);
    }
    fill(true, false);
    object.gnu[0] = 0; /* no buckets */
    CHECK_INT(look("alpha"), 0);
    fill(true, false);
    object.gnu[4] = object.gnu[5] = 0; /* the filter lets nothing in */
    CHECK_INT(look("alpha"), 0);
    fill(true, false);
    object.gnu[6] = 0; /* an empty bucket */
    CHECK_INT(look("alpha"), 0);
    fill(false, false);
    object.sysv[0] = 0;
    CHECK_INT(look("alpha"), 0);
    fill(false, false);
    object.sysv[2] = object.sysv[3] = object.sysv[4] = 99; /* beyond */
    CHECK_INT(look("alpha"), 0);
}

/* --- the real ones -------------------------------------------------------- */

static const struct {
    const char *library, *name;
} real[] = {
    { "libc.so.6", "environ" },
    { "libc.so.6", "qsort" },
    { "libc.so.6", "dl_iterate_phdr" },
    { "libsqlite3.so.0", "sqlite3_libversion" },
    { "libsqlite3.so.0", "sqlite3_open_v2" },
};

/* As the loader says it itself. */
static void in_this_process(void)
{
    for (size_t i = 0; i < LEN(real); i++) {
        struct link_map *map = NULL;
        void *handle = dlopen(real[i].library, RTLD_NOW);

        CHECK(handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0);
        if (!map)
            continue;
        CHECK_INT(elf_defines(map->l_addr, map->l_ld, real[i].name),
                (uintptr_t)dlsym(handle, real[i].name));
        CHECK_INT(elf_defines(map->l_addr, map->l_ld, "no_such_symbol"), 0);
        CHECK(dlclose(handle) == 0);
    }
}

int main(void)
{
    by_hand();
    missing_parts();
    in_this_process();
    return test_result();
}
