/* shape_operation.c -- operators that ran, as TEZ-158 has them. */
#include "base/alloc.h"
#include "base/json_read.h"
#include "export/json/shape_list.h"
#include "export/json/shapes.h"

#include <stdlib.h>

struct operations {
    struct shape_list list;
    uint64_t started_wall_ns;
    struct shown {
        char *head; /* an object whose end is missing */
    } * operators;  /* by id, from 1 */
    size_t count;
};

static void take_run(void *to, const struct run *r)
{
    ((struct operations *)to)->started_wall_ns = r->started_wall_ns;
}

/* The shapes of [{"float":[1,3]},{"int64":[2]}]: [[1,3],[2]].  What is not such
 * a text has none. */
static void shapes(struct json *j, const char *key, const char *text)
{
    struct str rest = str_of(text ? text : ""), value;
    struct buf out = { 0 };
    int rc;

    buf_char(&out, '[');
    while ((rc = json_next_element(&rest, &value)) > 0) {
        struct str type, shape;

        if (json_next_member(&value, &type, &shape) <= 0 ||
                json_kind(shape) != '[') {
            rc = -1;
            break;
        }
        if (out.len > 1)
            buf_char(&out, ',');
        buf_add(&out, shape.p, shape.len);
    }
    buf_char(&out, ']');
    if (!rc && text)
        json_raw(j, key, buf_cstr(&out));
    buf_release(&out);
}

static void take_operator(void *to, const struct operator* o)
{
    struct operations *x = to;
    struct buf head = { 0 };
    struct json j = json_line_into(&head);

    while (x->count < o->id) {
        x->operators = alloc_resize(x->operators,
                (x->count + 1) * sizeof(*x->operators));
        x->operators[x->count++] = (struct shown){ 0 };
    }
    json_object(&j, NULL);
    if (o->name)
        json_text(&j, "operation_id", o->name);
    if (o->op_type)
        json_text(&j, "operation_type", o->op_type);
    if (o->provider)
        json_text(&j, "provider", o->provider);
    shapes(&j, "input_shapes", o->inputs);
    shapes(&j, "output_shapes", o->outputs);
    if (o->sizes_known)
        json_u64(&j, "memory_bytes",
                o->activation_bytes + o->parameter_bytes + o->output_bytes);
    free(x->operators[o->id - 1].head);
    x->operators[o->id - 1].head = alloc_text(buf_cstr(&head));
    buf_release(&head);
}

static void take_operator_run(void *to, const struct operator_run *r)
{
    struct operations *x = to;
    struct buf object = { 0 };
    const char *head = r->operator_id && r->operator_id <= x->count
                               ? x->operators[r->operator_id - 1].head
                               : NULL;
    struct json j = json_line_into(&object);

    if (!head)
        return;
    json_object(&j, NULL);
    if (r->in_cycles) {
        json_u64(&j, "cycles", r->cycles);
    } else {
        json_u64(&j, "start_time_ns", x->started_wall_ns + r->start_ns);
        shape_ms(&j, "duration_ms", r->kernel_known ? r->kernel_ns : r->raw_ns);
    }
    if (r->inference)
        json_u64(&j, "inference", r->inference);
    json_end(&j);

    /* Two halves of one object; the first has members unless it is "{". */
    struct buf whole = { 0 };

    buf_text(&whole, head);
    if (head[1])
        buf_char(&whole, ',');
    buf_text(&whole, buf_cstr(&object) + 1);
    json_raw(&x->list.json, NULL, buf_cstr(&whole));
    buf_release(&whole);
    buf_release(&object);
    shape_list_flush(&x->list);
}

int shape_operations(struct sink *to, struct store *s, int64_t run,
        struct error *e)
{
    struct operations x = { 0 };
    int rc = store_read_run(s, run, take_run, &x, e);

    if (!rc)
        rc = store_each_operator(s, run, take_operator, &x, e);
    shape_list_begin(&x.list, to);
    if (!rc)
        rc = store_each_operator_run(s, run, take_operator_run, &x, e);
    shape_list_end(&x.list);
    for (size_t i = 0; i < x.count; i++)
        free(x.operators[i].head);
    free(x.operators);
    return rc;
}
