#include "fake_kernels.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define MOST 16

static uintptr_t *found[MOST];
static struct class_table room[MOST];

static size_t find(const struct class_image *image)
{
    memset(found, 0, sizeof(found));
    return kernel_tables_find(found, MOST, room, image);
}

/* Classes derived from OpKernel, however; and no others. */
static void kernels_only(void)
{
    const uintptr_t *words = fake_kernels_words();
    struct class_image image = fake_kernels_image();
    const int expected[] = { T_CHILD, T_GRANDCHILD, T_SECOND };

    CHECK_INT(find(&image), 3);
    for (size_t i = 0; i < 3; i++)
        CHECK(found[i] == words + expected[i] + TABLE_HEAD);
    CHECK_INT(kernel_tables_find(found, 4, room, &image), 2);
}

/* Whatever is not as we know it leaves the library untouched. */
static void unlike_ours(void)
{
    static const struct {
        int word;
        uintptr_t value;
    } changed[] = {
        { T_BASE + TABLE_HEAD, 1 },                  /* it can be made */
        { T_BASE + TABLE_HEAD + KERNEL_COMPUTE, 0 }, /* Compute is elsewhere */
        { T_BASE + TABLE_HEAD + KERNEL_COMPUTE + 1, 0 }, { T_BASE, 8 },
        { D_BASE, 0 }, { D_BASE + 1, 0 }, /* it has no name */
    };

    for (size_t i = 0; i < sizeof(changed) / sizeof(*changed); i++) {
        uintptr_t *words = fake_kernels_words();
        struct class_image image = fake_kernels_image();

        words[changed[i].word] = changed[i].value;
        CHECK_INT(find(&image), 0);
    }

    uintptr_t *words = fake_kernels_words();
    struct class_image image = fake_kernels_image();

    words[T_BASE + TABLE_HEAD + KERNEL_COMPUTE] = (uintptr_t)fake_compute;
    CHECK_INT(find(&image), 0); /* Compute is there */
    (void)fake_kernels_words();
    ((char *)words[D_BASE + 1])[3] = 'x'; /* another name */
    CHECK_INT(find(&image), 0);
    (void)fake_kernels_words();
    CHECK_INT(find(&image), 3);
    image.data.end = image.data.start;
    CHECK_INT(find(&image), 0);
}

/* Bases that are nowhere, or more than there is room for, end the search. */
static void broken_descriptions(void)
{
    static const struct {
        int word;
        uintptr_t value;
        size_t left;
    } changed[] = {
        { D_GRANDCHILD + 2, 0, 2 }, { D_GRANDCHILD + 2, 8, 2 },
        { D_GRANDCHILD + 2, UINTPTR_MAX - 7, 2 },
        { D_GRANDCHILD + 2, UINTPTR_MAX, 2 },
        { D_SECOND + 2, UINT64_C(17) << 32, 2 },
        { D_SECOND + 2, UINT64_MAX, 2 }, { D_SECOND + 2, 0, 2 },
        { T_CHILD + TABLE_HEAD + 1, 77, 2 }, /* no function */
    };

    for (size_t i = 0; i < sizeof(changed) / sizeof(*changed); i++) {
        uintptr_t *words = fake_kernels_words();
        struct class_image image = fake_kernels_image();

        words[changed[i].word] = changed[i].value;
        CHECK_INT(find(&image), changed[i].left);
    }

    /* Data that ends in the midst of a description, a table, a name. */
    uintptr_t *words = fake_kernels_words();
    struct class_image image = fake_kernels_image();

    for (size_t n = 0; n <= FAKE_WORDS; n++) {
        image.data.end = image.data.start + n * sizeof(*words);
        CHECK(find(&image) <= 3);
    }
    image.readable[0].end = words[D_BASE + 1] + 24;
    CHECK_INT(find(&image), 0);
}

int main(void)
{
    kernels_only();
    unlike_ours();
    broken_descriptions();
    return test_result();
}
