/* shape_list.h -- a JSON array on its way into a sink.  For shapes only. */
#pragma once

#include "base/json.h"
#include "export/sink.h"

struct shape_list {
    struct sink *to;
    struct buf out;
    struct json json;
};

void shape_list_begin(struct shape_list *l, struct sink *to);
/* After each object. */
void shape_list_flush(struct shape_list *l);
void shape_list_end(struct shape_list *l);

/* Milliseconds, exactly. */
void shape_ms(struct json *j, const char *key, uint64_t ns);
