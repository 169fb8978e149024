/* test_tokens.c -- tokens, their hashes and the file that keeps these. */
#include "serve/tokens.h"

#include "base/compiler.h"
#include "serve/certificate.h"
#include "tree.h"

#include <errno.h>
#include <string.h>

/* Somebody's link waits where a file is made: it is not followed, and the file
 * is for us alone. */
static void links(void)
{
    static const char *const names[] = { "localhost" };
    static const char *const made[] = { "tokens", "cert.pem", "key.pem" };
    struct tree t = tree_open();
    struct error e = { 0 };
    char cert[160], key[160], tokens[160], link[176], victim[160], text[16];
    struct stat st;
    FILE *f;

    tree_put(&t, "victim", "mine\n");
    (void)snprintf(victim, sizeof(victim), "%s/victim", t.root);
    (void)snprintf(tokens, sizeof(tokens), "%s/tokens", t.root);
    (void)snprintf(cert, sizeof(cert), "%s/cert.pem", t.root);
    (void)snprintf(key, sizeof(key), "%s/key.pem", t.root);
    for (size_t i = 0; i < LEN(made); i++) {
        (void)snprintf(link, sizeof(link), "%s/%s.part", t.root, made[i]);
        CHECK_INT(symlink(victim, link), 0);
    }
    CHECK_INT(token_file_write(&(struct token_list){ 0 }, tokens, &e), 0);
    CHECK_INT(certificate_make(cert, key, names, 1, &e), 0);
    for (size_t i = 0; i < LEN(made); i++) {
        CHECK_INT(lstat(tree_path(&t, made[i]), &st), 0);
        CHECK(S_ISREG(st.st_mode));
        CHECK_INT(st.st_mode & 077, 0);
    }
    f = fopen(victim, "r");
    CHECK(f && fgets(text, sizeof(text), f) && strcmp(text, "mine\n") == 0);
    if (f)
        (void)fclose(f);
    tree_close(&t);
}

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
    links();
    return test_result();
}
