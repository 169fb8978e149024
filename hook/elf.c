#include "hook/elf.h"

#include "hook/text.h"

const ElfW(Dyn) * elf_entry(const ElfW(Dyn) * dynamic, int64_t tag)
{
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
        if (dynamic->d_tag == tag)
            return dynamic;
    return NULL;
}

/* glibc writes addresses into the loaded section, musl leaves offsets. */
static const void *address(uintptr_t base, const ElfW(Dyn) * dynamic,
        int64_t tag)
{
    const ElfW(Dyn) *entry = elf_entry(dynamic, tag);

    if (!entry || !entry->d_un.d_ptr)
        return NULL;
    return (const void *)(entry->d_un.d_ptr < base ? base + entry->d_un.d_ptr
                                                   : entry->d_un.d_ptr);
}

struct symbols {
    uintptr_t base;
    const ElfW(Sym) * table;
    const char *names;
};

static uintptr_t defined(const struct symbols *s, uint32_t index,
        const char *name)
{
    const ElfW(Sym) *symbol = &s->table[index];

    if (symbol->st_shndx == SHN_UNDEF || !symbol->st_value ||
            !text_is(s->names + symbol->st_name, name))
        return 0;
    return s->base + symbol->st_value;
}

/* DT_GNU_HASH: number of buckets, first symbol, words and shift of the bloom
 * filter; the filter; the buckets; a chain of hashes whose last has bit 0. */
static uintptr_t find_gnu(const struct symbols *s, const uint32_t *table,
        const char *name)
{
    uint32_t buckets = table[0], first = table[1], words = table[2];
    const ElfW(Addr) *filter = (const ElfW(Addr) *)(table + 4);
    const uint32_t *bucket = (const uint32_t *)(filter + words);
    const uint32_t *chain = bucket + buckets;
    const uint32_t bits = sizeof(*filter) * 8;
    uint32_t hash = 5381;

    for (const char *c = name; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    if (!buckets || !words)
        return 0;

    ElfW(Addr) word = filter[hash / bits % words];

    if (!(word >> (hash % bits) & word >> ((hash >> table[3]) % bits) & 1))
        return 0;
    for (uint32_t i = bucket[hash % buckets]; i >= first; i++) {
        uint32_t there = chain[i - first];

        if ((there | 1) == (hash | 1)) {
            uintptr_t found = defined(s, i, name);

            if (found)
                return found;
        }
        if (there & 1)
            break;
    }
    return 0;
}

/* DT_HASH: numbers of buckets and symbols, buckets, chains. */
static uintptr_t find_sysv(const struct symbols *s, const uint32_t *table,
        const char *name)
{
    uint32_t hash = 0;

    for (const char *c = name; *c; c++) {
        hash = (hash << 4) + (unsigned char)*c;
        hash ^= hash >> 24 & 0xf0;
    }
    hash &= 0x0fffffff;
    if (!table[0])
        return 0;

    const uint32_t *chain = table + 2 + table[0];

    for (uint32_t i = table[2 + hash % table[0]]; i && i < table[1];
            i = chain[i]) {
        uintptr_t found = defined(s, i, name);

        if (found)
            return found;
    }
    return 0;
}

uintptr_t elf_defines(uintptr_t base, const ElfW(Dyn) * dynamic,
        const char *name)
{
    struct symbols s = { base, address(base, dynamic, DT_SYMTAB),
        address(base, dynamic, DT_STRTAB) };
    const uint32_t *gnu = address(base, dynamic, DT_GNU_HASH);
    const uint32_t *sysv = address(base, dynamic, DT_HASH);

    if (!s.table || !s.names)
        return 0;
    if (gnu)
        return find_gnu(&s, gnu, name);
    return sysv ? find_sysv(&s, sysv, name) : 0;
}

static uintptr_t place_of(const struct symbols *s, const ElfW(Rela) * r,
        uint64_t bytes, const char *name)
{
    for (size_t i = 0; r && i < bytes / sizeof(*r); i++) {
        size_t symbol = ELF64_R_SYM(r[i].r_info);

        if (symbol && text_is(s->names + s->table[symbol].st_name, name))
            return s->base + r[i].r_offset;
    }
    return 0;
}

uintptr_t elf_imports(uintptr_t base, const ElfW(Dyn) * dynamic,
        const char *name)
{
    static const int64_t tags[][2] = { { DT_JMPREL, DT_PLTRELSZ },
        { DT_RELA, DT_RELASZ } };
    struct symbols s = { base, address(base, dynamic, DT_SYMTAB),
        address(base, dynamic, DT_STRTAB) };
    uintptr_t found = 0;

    if (!s.table || !s.names)
        return 0;
    for (size_t i = 0; i < 2 && !found; i++) {
        const ElfW(Dyn) *bytes = elf_entry(dynamic, tags[i][1]);

        found = place_of(&s, address(base, dynamic, tags[i][0]),
                bytes ? bytes->d_un.d_val : 0, name);
    }
    return found;
}
