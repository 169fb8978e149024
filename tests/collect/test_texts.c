#include "collect/texts.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

static char letter(size_t at)
{
    return (char)('!' + at % 89);
}

/* The piece of a text of `len` letters that begins at `at`. */
static struct record piece(uint64_t hash, uint32_t len, uint32_t at)
{
    struct record r = { .kind = RECORD_TEXT,
        .text = { .hash = hash, .len = len, .at = at } };

    for (size_t i = 0; i < RECORD_TEXT_BYTES; i++)
        r.text.bytes[i] = letter(at + i);
    return r;
}

static bool take(struct texts *t, uint64_t hash, uint32_t len, uint32_t at)
{
    struct record r = piece(hash, len, at);

    return texts_take(t, &r);
}

static void check_whole(const struct texts *t, uint64_t hash, size_t len)
{
    const char *text = texts_find(t, hash);

    CHECK(text && strlen(text) == len);
    for (size_t i = 0; text && i < len; i++)
        if (text[i] != letter(i)) {
            CHECK(text[i] == letter(i));
            return;
        }
}

/* Lengths around the size of a piece, up to the longest that the hook sends,
 * and the longest that is taken. */
static void lengths(void)
{
    static const uint32_t cases[] = { 0, 1, 39, 40, 41, 79, 80, 81, 4096,
        64 * 1024 };
    struct texts t = { 0 };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t len = cases[i];

        CHECK(texts_find(&t, i + 1) == NULL);
        for (uint32_t at = 0; at == 0 || at < len; at += RECORD_TEXT_BYTES) {
            CHECK(at == 0 || texts_find(&t, i + 1) == NULL);
            CHECK(take(&t, i + 1, len, at));
        }
        check_whole(&t, i + 1, len);
    }
    texts_release(&t);
    CHECK(texts_find(&t, 1) == NULL);
}

static void refused(void)
{
    struct texts t = { 0 };

    CHECK(texts_find(&t, 0) == NULL);
    CHECK(!take(&t, 0, 5, 0));             /* 0 names nothing */
    CHECK(!take(&t, 1, 100, 40));          /* its beginning was lost */
    CHECK(!take(&t, 1, 64 * 1024 + 1, 0)); /* too long */
    CHECK(!take(&t, 1, UINT32_MAX, 0));
    CHECK(texts_find(&t, 1) == NULL);
    CHECK_INT(t.bytes, 0); /* and nothing is kept of them */

    CHECK(take(&t, 2, 100, 0));
    CHECK(!take(&t, 2, 100, 80)); /* the middle was lost */
    CHECK(!take(&t, 2, 99, 40));  /* of another text */
    CHECK(!take(&t, 2, 100, UINT32_MAX));
    CHECK(texts_find(&t, 2) == NULL);
    CHECK(take(&t, 2, 100, 40)); /* it comes after all */
    CHECK(take(&t, 2, 100, 80));
    check_whole(&t, 2, 100);
    CHECK(!take(&t, 2, 100, 120)); /* beyond its end */
    texts_release(&t);
}

/* Two threads send the same text at once, or one sends it again because the
 * ring was full half-way. */
static void sent_twice(void)
{
    static const uint32_t order[] = { 0, 0, 40, 0, 40, 80, 40, 80 };
    struct texts t = { 0 };

    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
        CHECK(take(&t, 9, 101, order[i]));
    check_whole(&t, 9, 101);
    texts_release(&t);
}

/* Whatever comes, there is a ceiling; what was taken before stays. */
static void ceiling(uint32_t len)
{
    struct texts t = { 0 };
    uint64_t hash = 1;

    CHECK(take(&t, hash, 3, 0));
    while (hash < 3000000 && take(&t, hash + 1, len, 0))
        hash++;
    CHECK(hash > 1000 && hash < 3000000);
    CHECK(!take(&t, hash + 2, len, 0));
    check_whole(&t, 1, 3);
    texts_release(&t);
    CHECK(take(&t, 1, len, 0)); /* it begins anew */
    texts_release(&t);
}

int main(void)
{
    lengths();
    refused();
    sent_twice();
    ceiling(64 * 1024);
    ceiling(0); /* empty ones take room, too */
    return test_result();
}
