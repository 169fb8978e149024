/* Settings' files: whatever stands in them, values lie within the text. */
#include "base/toml.h"

#include <stdlib.h>

static void each(void *context, const struct toml_value *v)
{
    struct str *text = context;

    if (v->key.p < text->p || v->key.p + v->key.len > text->p + text->len ||
            v->key.len == 0 || v->line == 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct error e = { 0 };

    if (toml_read(text, each, &text, &e) && !e.text[0])
        abort();
    return 0;
}
