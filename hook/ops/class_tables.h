/* class_tables.h -- where a C++ library keeps the virtual functions of classes
 * that are derived from a certain one.
 *
 * Each class has a table of its virtual functions in the library's constant
 * data, and a description before it that names the class and what it is derived
 * from (Itanium C++ ABI, 2.5 and 2.9):
 *
 *     table:        0, its description, functions ...
 *     description:  kind of description, name, base              one base
 *                   kind of description, name, flags and count,
 *                       base, offset and flags, ...              several
 *
 * Nothing is assumed of the library but that.  Whatever is read lies within the
 * ranges that are given. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct class_range {
    uintptr_t start, end;
    bool executable;
};

#define CLASS_RANGES 8

struct class_image {
    struct class_range data; /* constant, with tables and descriptions */
    struct class_range readable[CLASS_RANGES]; /* of the library */
    size_t readable_count;
    uintptr_t one_base, more_bases; /* the two kinds of description */
};

/* A table's functions; that many words, at least, can be read there. */
struct class_table {
    const uintptr_t *functions;
    bool is_base; /* of that class itself */
};

/* All tables of the class of that name, and of those derived from it; at most
 * `most` of them. */
size_t class_tables_find(struct class_table *out, size_t most,
        const struct class_image *image, const char *name, size_t words);

bool class_is_function(const struct class_image *image, uintptr_t at);
/* Of another library, or nothing at all. */
bool class_is_foreign(const struct class_image *image, uintptr_t at);
