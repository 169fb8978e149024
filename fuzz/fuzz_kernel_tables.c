/* fuzz_kernel_tables.c -- any words as the constant data of a C++ library.
 *
 * An address that is of use is rare among any words, so the low bits of each
 * say what it is: itself, or somewhere in the data, the names or the code. */
#include "hook/ops/kernel_tables.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char name[] = "N11onnxruntime8OpKernelE\0Relu";
    static const unsigned char code[64];
    size_t count = size / sizeof(uintptr_t);
    uintptr_t *words = malloc(count * sizeof(*words) + 1);
    char *names = malloc(sizeof(name)); /* so that reading behind it shows */
    uintptr_t *found[MOST] = { NULL };
    struct class_table room[MOST];

    if (!words || !names)
        abort();
    if (count)
        memcpy(words, data, count * sizeof(*words));
    memcpy(names, name, sizeof(name));
    for (size_t i = 0; i < count; i++) {
        uintptr_t w = words[i] >> 3;

        switch (words[i] & 7) {
        case 1: words[i] = (uintptr_t)&words[w % count]; break;
        case 2: words[i] = (uintptr_t)names + w % sizeof(name); break;
        case 3: words[i] = (uintptr_t)names + w % 2 * 25; break;
        case 4: words[i] = (uintptr_t)code + w % sizeof(code); break;
        case 5: words[i] = 0; break;
        case 6: words[i] = 1 + w % 3; break; /* kinds; not ours */
        case 7: words[i] = (w % 20) << 32; break;
        default: break;
        }
    }

    const struct class_image image = {
        .data = { (uintptr_t)words, (uintptr_t)(words + count), false },
        .readable = { { (uintptr_t)words, (uintptr_t)(words + count), false },
                { (uintptr_t)names, (uintptr_t)(names + sizeof(name)), false },
                { (uintptr_t)code, (uintptr_t)(code + sizeof(code)), true } },
        .readable_count = 3,
        .one_base = 2,
        .more_bases = 3,
    };
    size_t n = kernel_tables_find(found, MOST, room, &image);

    if (n > MOST)
        abort();
    for (size_t i = 0; i < n; i++)
        if (found[i] < words + 2 || found[i] + KERNEL_COMPUTE >= words + count)
            abort();

    free(names);
    free(words);
    return 0;
}
