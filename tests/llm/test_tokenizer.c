/* A tokenizer made by hand; real ones are compared in tests/e2e/tokenizers.sh.
 */
#include "llm/tokenizer/tokenizer.h"
#include "test.h"

#include <errno.h>
#include <string.h>

static const char bpe[] =
        "{\"added_tokens\":[{\"id\":9,\"content\":\"<s>\",\"special\":true,"
        "\"rstrip\":true,\"normalized\":false}],"
        "\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false},"
        "\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":["
        "{\"SpecialToken\":{\"id\":\"<s>\",\"type_id\":0}},"
        "{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}],"
        "\"special_tokens\":{\"<s>\":{\"id\":\"<s>\",\"ids\":[9]}}},"
        "\"decoder\":{\"type\":\"ByteLevel\"},"
        "\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"ab\":2,"
        "\"\\u0120\":3,\"\\u0120ab\":4,\"\\u00c3\":5,\"\\u00a9\":6},"
        "\"merges\":[\"a b\",[\"\\u0120\",\"ab\"]]}}";

static void encodes(struct tokenizer *t, const char *text, bool special,
        const uint32_t *want, size_t count)
{
    struct ids ids = { 0 };

    tokenizer_encode(t, str_of(text), special, &ids);
    CHECK_INT(ids.count, count);
    CHECK(ids.count == count &&
            (!count || memcmp(ids.id, want, count * sizeof(*want)) == 0));
    ids_release(&ids);
}

static void streams(struct tokenizer *t)
{
    struct token_stream s = { 0 };
    struct buf out = { 0 };

    token_stream_add(&s, t, true, 5, &out); /* half of an e with an acute */
    CHECK_INT(out.len, 0);
    token_stream_add(&s, t, true, 6, &out);
    token_stream_add(&s, t, true, 9, &out);
    token_stream_add(&s, t, true, 4, &out);
    CHECK(strcmp(buf_cstr(&out), "\xc3\xa9 ab") == 0);
    token_stream_release(&s);
    buf_release(&out);
}

static void refuses(const char *json, int code, const char *why)
{
    struct tokenizer *t = NULL;
    struct error e = { 0 };

    CHECK_INT(tokenizer_read(&t, str_of(json), &e), code);
    CHECK(strstr(e.text, why));
}

int main(void)
{
    struct tokenizer *t = NULL;
    struct error e = { 0 };

    CHECK_INT(tokenizer_read(&t, str_of(bpe), &e), 0);
    if (!t)
        return 1;
    encodes(t, "ab ab", false, (uint32_t[]){ 2, 4 }, 2);
    encodes(t, "b<s>  a", true, (uint32_t[]){ 9, 1, 9, 0 }, 4);
    encodes(t, "\xc3\xa9", false, (uint32_t[]){ 5, 6 }, 2);
    encodes(t, "", false, NULL, 0);
    CHECK_INT(tokenizer_size(t), 10);
    streams(t);
    tokenizer_free(t);
    refuses("[]", -EINVAL, "no JSON object");
    refuses("{\"model\":{\"type\":\"Morse\"}}", -ENOTSUP, "Morse");
    refuses("{\"normalizer\":{\"type\":\"Shout\"}}", -ENOTSUP, "Shout");
    refuses("{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},"
            "\"merges\":[\"a b\"]}}",
            -EINVAL, "merge 0");
    return test_result();
}
