/* A tokenizer.json: whatever stands in it, it is read or refused with a reason,
 * and what was read encodes and decodes.  The text to encode is in the file's
 * last 64 bytes. */
#include "llm/tokenizer/tokenizer.h"

#include <stdlib.h>

#define TEXT_LEN 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str json = { (const char *)data, size };
    size_t len = size < TEXT_LEN ? size : TEXT_LEN;
    struct tokenizer *t = NULL;
    struct error e = { 0 };
    struct ids ids = { 0 };
    struct buf text = { 0 };
    struct token_stream stream = { 0 };

    if (tokenizer_read(&t, json, &e)) {
        if (!e.text[0])
            abort();
        return 0;
    }
    tokenizer_encode(t, (struct str){ json.p + size - len, len }, true, &ids);
    tokenizer_decode(t, ids.id, ids.count, false, &text);
    for (size_t i = 0; i < ids.count; i++)
        token_stream_add(&stream, t, true, ids.id[i], &text);
    token_stream_release(&stream);
    buf_release(&text);
    ids_release(&ids);
    tokenizer_free(t);
    return 0;
}
