#include "fake_ops.h"
#include "hook/wraps.h"

#include <errno.h>
#include <sys/mman.h>

#define MADE "_ZNSt8ios_baseC2Ev"
#define GONE "_ZNSt8ios_baseD2Ev"

/* --- a loaded object, made up --------------------------------------------- */

enum { MADE_AT = 3, GONE_AT = 9, ENTRIES = 16 };

enum { SYMBOLS, NAMES, PLT, PLT_BYTES, DATA, DATA_BYTES, TAGS };

/* What it looks like in memory; its addresses lie on a page of their own. */
static struct image {
    char head[64]; /* nothing of it is at 0 */
    char names[64];
    ElfW(Sym) symbols[5];
    ElfW(Rela) plt[3], data[2];
    ElfW(Dyn) dynamic[TAGS + 1];
    _Alignas(4096) ort_function address[ENTRIES];
    char rest[4096 - ENTRIES * sizeof(ort_function)];
} * image;

static int alive;

static void made(void *stream)
{
    (void)stream;
    alive++;
}

static void gone(void *stream)
{
    (void)stream;
    alive--;
}

static ElfW(Rela) relocation(int entry, uint64_t symbol)
{
    return (ElfW(Rela)){
        .r_offset = offsetof(struct image, address) +
                    (size_t)entry * sizeof(ort_function),
        .r_info = ELF64_R_INFO(symbol, 0),
    };
}

static void put_name(size_t symbol, size_t at, const char *name)
{
    image->symbols[symbol].st_name = (uint32_t)at;
    memcpy(image->names + at, name, strlen(name));
}

/* `shift`: added to the addresses in its dynamic section. */
static struct candidate load(uintptr_t shift)
{
    image = mmap(NULL, sizeof(*image), PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (image == MAP_FAILED)
        abort();
    put_name(1, 1, "other");
    put_name(2, 8, MADE);
    put_name(3, 28, GONE);
    put_name(4, 48, "_ZNSt8ios_baseC");
    image->plt[0] = relocation(0, 1);
    image->plt[1] = relocation(MADE_AT, 2);
    image->plt[2] = relocation(4, 4);
    image->data[0] = relocation(5, 0); /* of no symbol */
    image->data[1] = relocation(GONE_AT, 3);
    image->address[MADE_AT] = (ort_function)made;
    image->address[GONE_AT] = (ort_function)gone;

    const ElfW(Dyn) dynamic[TAGS + 1] = {
        { DT_SYMTAB, { offsetof(struct image, symbols) + shift } },
        { DT_STRTAB, { offsetof(struct image, names) + shift } },
        { DT_JMPREL, { offsetof(struct image, plt) + shift } },
        { DT_PLTRELSZ, { sizeof(image->plt) } },
        { DT_RELA, { offsetof(struct image, data) + shift } },
        { DT_RELASZ, { sizeof(image->data) } },
        { DT_NULL, { 0 } },
    };

    memcpy(image->dynamic, dynamic, sizeof(dynamic));
    return (struct candidate){
        .base = (uintptr_t)image,
        .dynamic = image->dynamic,
        .start = (uintptr_t)image,
        .end = (uintptr_t)(image + 1),
    };
}

/* As glibc leaves it: with addresses. */
static struct candidate load_by_address(void)
{
    struct candidate c = load(0);

    for (int i = 0; i < TAGS; i++)
        if (i != PLT_BYTES && i != DATA_BYTES)
            image->dynamic[i].d_un.d_ptr += c.base;
    return c;
}

/* Nothing but the two entries is ever written, and those as said. */
static bool entries_are(ort_function first, ort_function second)
{
    bool same = image->address[MADE_AT] == first &&
                image->address[GONE_AT] == second;

    for (int i = 0; i < ENTRIES; i++)
        same &= i == MADE_AT || i == GONE_AT || !image->address[i];
    return same;
}

/* --- taking the places ---------------------------------------------------- */

static void check_installed(const struct candidate *c, uint8_t index)
{
    struct library *lib = &hook_libraries[index];

    lib->index = index;
    CHECK(bracket_install(c, lib));
    CHECK(lib->stream_made == (ort_function)made);
    CHECK(lib->stream_gone == (ort_function)gone);
    CHECK(entries_are(hook_stream_wraps[index][0],
            hook_stream_wraps[index][1]));

    /* Who is called calls on. */
    ((void (*)(void *))image->address[MADE_AT])(&lib);
    CHECK_INT(alive, 1);
    ((void (*)(void *))image->address[GONE_AT])(&lib);
    CHECK_INT(alive, 0);
}

static void installed(void)
{
    struct candidate c = load_by_address();

    check_installed(&c, 0);
    c = load_by_address();
    check_installed(&c, 7);
    c = load(0); /* musl leaves offsets */
    check_installed(&c, 3);
}

/* The kernel says so, without a signal. */
static bool is_writable(void *at)
{
    int ends[2];

    CHECK_INT(pipe(ends), 0);
    CHECK_INT(write(ends[1], "", 1), 1);
    return read(ends[0], at, 1) == 1 || errno != EFAULT;
}

/* Pages that the loader made read-only are so again afterwards. */
static void read_only(void)
{
    struct candidate c = load_by_address();

    CHECK(is_writable(&image->address[0]));
    c.relro_start = (uintptr_t)image->address;
    c.relro_end = c.end;
    CHECK_INT(mprotect(image->address, 4096, PROT_READ), 0);
    CHECK(!is_writable(&image->address[0]));
    check_installed(&c, 0);
    CHECK(!is_writable(&image->address[0]));
}

/* --- where it does not work ----------------------------------------------- */

/* An entry is bound at the first call only: the loader would write over it. */
static void not_resolved(void)
{
    struct candidate c = load_by_address();

    for (int i = 0; i < 2; i++) {
        ort_function *at = &image->address[i ? MADE_AT : GONE_AT];
        ort_function was = *at;

        *at = (ort_function)(c.start + 8);
        CHECK(!bracket_install(&c, &hook_libraries[0]));
        *at = NULL;
        CHECK(!bracket_install(&c, &hook_libraries[0]));
        *at = was;
        CHECK(entries_are((ort_function)made, (ort_function)gone));
    }
    check_installed(&c, 0);
}

/* One of the tables is not there: the C++ library is part of the runtime, say,
 * or there is a name that only begins so. */
static void something_missing(void)
{
    for (int i = 0; i < TAGS; i++) {
        struct candidate c = load_by_address();

        image->dynamic[i].d_tag = DT_DEBUG;
        CHECK(!bracket_install(&c, &hook_libraries[0]));
        CHECK(entries_are((ort_function)made, (ort_function)gone));
    }

    struct candidate c = load_by_address();

    image->names[28 + sizeof(GONE) - 1] = 'x';
    CHECK(!bracket_install(&c, &hook_libraries[0]));
    c.dynamic = NULL;
    CHECK(!bracket_install(&c, &hook_libraries[0]));
    CHECK(entries_are((ort_function)made, (ort_function)gone));
}

int main(void)
{
    apart(installed);
    apart(read_only);
    apart(not_resolved);
    apart(something_missing);
    return test_result();
}
