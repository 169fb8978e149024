/* elf.h -- looks into loaded objects without asking the loader, and without
 * the C library: it may be asked before either is ready. */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Where the object at `base` with that dynamic section defines `name` itself;
 * 0: it does not. */
uintptr_t elf_defines(uintptr_t base, const ElfW(Dyn) * dynamic,
        const char *name);

/* The dynamic section's entry of that tag; NULL: there is none. */
const ElfW(Dyn) * elf_entry(const ElfW(Dyn) * dynamic, int64_t tag);

/* Where that object keeps the address of `name`, which is another object's, as
 * the loader found it; 0: it does not. */
uintptr_t elf_imports(uintptr_t base, const ElfW(Dyn) * dynamic,
        const char *name);
