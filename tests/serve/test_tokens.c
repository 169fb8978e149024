/* test_tokens.c -- tokens, their hashes and the file that keeps these. */
#include "serve/tokens.h"

#include "base/compiler.h"
#include "test.h"

#include <errno.h>
#include <string.h>

int main(void)
{
    static const char *const bad[] = { "a viewer abc 1 0", "a none 0 0 0",
        "a viewer", "viewer", "a root x 1 2" };
    char token[TOKEN_LEN + 1], other[TOKEN_LEN + 1];
    struct token_entry entry = { .name = "grafana",
        .role = ROLE_OPERATOR,
        .made_s = 5,
        .ends_s = 100 };
    struct token_list one = { &entry, 1 }, read = { 0 };
    unsigned char hash[TOKEN_HASH_LEN];
    struct buf text = { 0 };
    struct error e = { 0 };

    CHECK_INT(token_make(token, entry.hash, &e), 0);
    CHECK_INT(token_make(other, hash, &e), 0);
    CHECK(strcmp(token, other) != 0);
    CHECK(token_is_shaped(str_of(token)));
    CHECK(!token_is_shaped(str_of("ortm_short")));
    CHECK(!token_is_shaped(str_of("")));

    /* What is written is read back, and holds no token. */
    token_list_write(&text, &one);
    CHECK(!strstr(buf_cstr(&text), token + 5));
    CHECK_INT(token_list_read(&read, buf_str(&text), &e), 0);
    CHECK_INT(read.count, 1);
    CHECK(token_list_find(&read, str_of(token), 99) != NULL);
    CHECK(token_list_find(&read, str_of(token), 100) == NULL);
    CHECK(token_list_find(&read, str_of(other), 50) == NULL);
    CHECK_INT(read.items[0].role, ROLE_OPERATOR);
    token_list_release(&read);
    for (size_t i = 0; i < LEN(bad); i++)
        CHECK_INT(token_list_read(&read, str_of(bad[i]), &e), -EINVAL);
    CHECK(strstr(e.text, "line 1") != NULL);
    buf_release(&text);
    return test_result();
}
