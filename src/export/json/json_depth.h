/* json_depth.h -- layers within tokens, components within layers, operations
 * within components, as EP-029 nests them.
 *
 * They are read before the tokens are written, and kept as JSON: memory grows
 * with their number, which is that of layers times tokens looked into. */
#pragma once

#include "base/json.h"
#include "base/map.h"
#include "export/table/table.h"

/* Rows of one table, by the row of the table above that they belong to. */
struct json_level {
    const struct table *table;
    const char *key; /* the member of the row above that holds them */
    struct json_node {
        uint64_t id;
        char *head;  /* an object whose end is missing */
        size_t next; /* + 1, of the same parent; 0: none */
        bool written;
    } * nodes;
    size_t count;
    struct map first, last; /* by parent; + 1 */
};

#define JSON_LEVELS 3

struct json_depth {
    struct json_level levels[JSON_LEVELS];
};

int json_depth_read(struct json_depth *d, struct store *s, int64_t run,
        struct error *e);
void json_depth_release(struct json_depth *d);

/* The member "layers" of a token. */
void json_depth_layers(struct json_depth *d, struct json *j, uint64_t token);

/* Whether the table is one of these; then its rows that lie in nothing have
 * been written, as the elements of the array that is open. */
bool json_depth_rest(struct json_depth *d, struct json *j,
        const struct table *t);

/* The table that lies within `t`, and the key that it is under.  NULL: none. */
const struct table *json_depth_below(const struct table *t, const char **key);
