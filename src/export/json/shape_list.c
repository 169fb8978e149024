#include "export/json/shape_list.h"

#include <inttypes.h>
#include <stdio.h>

#define FLUSH_BYTES 65536

void shape_list_begin(struct shape_list *l, struct sink *to)
{
    *l = (struct shape_list){ .to = to };
    l->json = json_into(&l->out);
    json_array(&l->json, NULL);
}

void shape_list_flush(struct shape_list *l)
{
    if (l->out.len < FLUSH_BYTES)
        return;
    sink_write(l->to, buf_str(&l->out));
    buf_clear(&l->out);
}

void shape_list_end(struct shape_list *l)
{
    json_end(&l->json);
    buf_char(&l->out, '\n');
    sink_write(l->to, buf_str(&l->out));
    buf_release(&l->out);
}

void shape_ms(struct json *j, const char *key, uint64_t ns)
{
    char text[40];

    (void)snprintf(text, sizeof(text), "%" PRIu64 ".%06u", ns / 1000000,
            (unsigned)(ns % 1000000));
    json_raw(j, key, text);
}
