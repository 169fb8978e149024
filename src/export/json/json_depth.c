#include "export/json/json_depth.h"

#include "base/alloc.h"
#include "export/json/row_json.h"
#include "export/table/tables.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const struct table *above, *table;
    const char *key;
} nesting[JSON_LEVELS] = {
    { &token_table, &layer_table, "layers" },
    { &layer_table, &component_table, "components" },
    { &component_table, &deep_operation_table, "deep_operations" },
};

const struct table *json_depth_below(const struct table *t, const char **key)
{
    for (size_t i = 0; i < JSON_LEVELS; i++)
        if (nesting[i].above == t) {
            *key = nesting[i].key;
            return nesting[i].table;
        }
    return NULL;
}

/* --- reading -------------------------------------------------------------- */

static void link_node(struct json_level *l, uint64_t parent, size_t at)
{
    const uint64_t *last = map_find(&l->last, parent);

    if (last)
        l->nodes[*last - 1].next = at + 1;
    else
        map_put(&l->first, parent, at + 1);
    map_put(&l->last, parent, at + 1);
}

/* The first column is the row's id, the second its parent's. */
static void take_row(void *to, const struct cell *cells)
{
    struct json_level *l = to;
    struct buf text = { 0 };
    struct json j = json_line_into(&text);

    json_object(&j, NULL);
    row_json(&j, l->table->type->columns,
            l->table->type->count - l->table->place_count, cells);
    if (!(l->count & (l->count - 1)))
        l->nodes = alloc_resize(l->nodes,
                (l->count ? 2 * l->count : 1) * sizeof(*l->nodes));
    l->nodes[l->count] = (struct json_node){
        .id = (uint64_t)cells[0].number,
        .head = alloc_text(buf_cstr(&text)),
    };
    buf_release(&text);
    if (cells[1].known)
        link_node(l, (uint64_t)cells[1].number, l->count);
    l->count++;
}

int json_depth_read(struct json_depth *d, struct store *s, int64_t run,
        struct error *e)
{
    int rc = 0;

    *d = (struct json_depth){ 0 };
    for (size_t i = 0; i < JSON_LEVELS && !rc; i++) {
        d->levels[i].table = nesting[i].table;
        d->levels[i].key = nesting[i].key;
        rc = table_each_row(nesting[i].table, s, run, take_row, &d->levels[i],
                e);
    }
    return rc;
}

void json_depth_release(struct json_depth *d)
{
    for (size_t i = 0; i < JSON_LEVELS; i++) {
        struct json_level *l = &d->levels[i];

        for (size_t k = 0; k < l->count; k++)
            free(l->nodes[k].head);
        free(l->nodes);
        map_release(&l->first);
        map_release(&l->last);
    }
}

/* --- writing -------------------------------------------------------------- */

static void add_children(struct json_depth *d, size_t level, struct buf *out,
        uint64_t parent);

static void add_node(struct json_depth *d, size_t level, struct buf *out,
        size_t at)
{
    struct json_node *node = &d->levels[level].nodes[at];

    node->written = true;
    buf_text(out, node->head);
    if (level + 1 < JSON_LEVELS) {
        buf_printf(out, ",\"%s\":", d->levels[level + 1].key);
        add_children(d, level + 1, out, node->id);
    }
    buf_char(out, '}');
}

/* An array of what belongs to a row above.  As deep as there are levels. */
static void add_children(struct json_depth *d, size_t level, struct buf *out,
        uint64_t parent)
{
    const uint64_t *first = map_find(&d->levels[level].first, parent);

    buf_char(out, '[');
    for (size_t at = first ? *first : 0; at;
            at = d->levels[level].nodes[at - 1].next) {
        if (at != *first)
            buf_char(out, ',');
        add_node(d, level, out, at - 1);
    }
    buf_char(out, ']');
}

void json_depth_layers(struct json_depth *d, struct json *j, uint64_t token)
{
    struct buf text = { 0 };

    add_children(d, 0, &text, token);
    json_raw(j, d->levels[0].key, buf_cstr(&text));
    buf_release(&text);
}

bool json_depth_rest(struct json_depth *d, struct json *j,
        const struct table *t)
{
    for (size_t i = 0; i < JSON_LEVELS; i++) {
        struct json_level *l = &d->levels[i];

        if (l->table != t)
            continue;
        for (size_t k = 0; k < l->count; k++) {
            struct buf text = { 0 };

            if (l->nodes[k].written)
                continue;
            add_node(d, i, &text, k);
            json_raw(j, NULL, buf_cstr(&text));
            buf_release(&text);
        }
        return true;
    }
    return false;
}
