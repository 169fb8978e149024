/* A chat template: whatever stands in it, it ends, with a text or a reason. */
#include "llm/jinja/jinja.h"

#include <stdlib.h>

static const char context[] =
        "{\"messages\":[{\"role\":\"system\",\"content\":\"a\"},"
        "{\"role\":\"user\",\"content\":\"b \\u00e9\"},"
        "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":1}]}]"
        ","
        "\"bos_token\":\"<s>\",\"n\":2.5,\"add_generation_prompt\":true}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf out = { 0 };
    struct error e = { 0 };
    struct str template = { (const char *)data, size };

    if (jinja_render(&out, template, str_of(context), "today", &e) &&
            (!e.text[0] || out.len))
        abort();
    buf_release(&out);
    return 0;
}
