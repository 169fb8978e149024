/* jinja_state.h -- values, the tree of a template and what jinja's files share;
 * for nobody else. */
#pragma once

#include "base/buf.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define JINJA_STEPS  2000000u            /* evaluations */
#define JINJA_MEMORY ((size_t)256 << 20) /* bytes of values and tree */
#define JINJA_OUTPUT ((size_t)16 << 20)
#define JINJA_DEPTH  100 /* of expressions, blocks and calls in each other */

enum jinja_kind {
    JINJA_UNDEFINED,
    JINJA_NONE,
    JINJA_BOOL,
    JINJA_INT,
    JINJA_FLOAT,
    JINJA_TEXT,
    JINJA_LIST,
    JINJA_DICT,
    JINJA_MACRO,
};

struct jinja_value {
    enum jinja_kind kind;
    union {
        bool truth;
        int64_t integer;
        double real;
        struct str text;
        struct jinja_list *list;
        struct jinja_dict *dict;
        const struct jinja_node *macro;
    };
};

struct jinja_list {
    struct jinja_value *item;
    size_t count, cap;
};

struct jinja_dict {
    struct jinja_pair {
        struct str key;
        struct jinja_value value;
    } * pair;
    size_t count, cap;
    struct jinja_dict *outer; /* of variables: where else to look */
};

enum jinja_node_kind {
    NODE_TEXT,  /* text */
    NODE_PRINT, /* a */
    NODE_IF,    /* a; body; next: else */
    NODE_FOR,   /* names: list; a: of what; b: filter; body; orelse */
    NODE_SET,   /* target: a; value: b, or body */
    NODE_MACRO, /* text: name; list: parameters and their defaults; body */
    NODE_BREAK,
    NODE_CONTINUE,
    NODE_LITERAL, /* value */
    NODE_NAME,    /* text */
    NODE_LIST,    /* list */
    NODE_DICT,    /* list: keys and values by turns */
    NODE_MEMBER,  /* a . text */
    NODE_INDEX,   /* a [ b ] */
    NODE_SLICE,   /* a [ list: from, to, step, each may be NULL ] */
    NODE_CALL,    /* a ( list ) */
    NODE_FILTER,  /* a | text ( list ) */
    NODE_TEST,    /* a is text ( list ) */
    NODE_NEGATIVE,
    NODE_NOT,
    NODE_AND,
    NODE_OR,
    NODE_BINARY, /* a op b; the operator is text */
    NODE_CHOICE, /* a if b else c */
};

struct jinja_node {
    enum jinja_node_kind kind;
    struct str text;
    struct jinja_value value;
    struct jinja_node *a, *b, *c;
    struct jinja_node **list; /* of arguments: those with a name have `text` */
    struct str *name;         /* of each in `list`; empty: it has none */
    size_t count, cap;
    struct jinja_node *body, *orelse; /* statements, linked by `next` */
    struct jinja_node *next;
};

struct jinja_block { /* of memory */
    struct jinja_block *next;
    size_t used, cap;
    max_align_t data[];
};

struct jinja {
    struct jinja_block *memory;
    size_t taken;
    uint32_t steps;
    int depth;
    int rc; /* the first fault; then everything ends */
    struct error *e;
    const char *date;
    struct buf *out;
    struct jinja_dict *scope, *global;
    bool breaks, continues;
};

/* Zeroed, until the rendering ends. */
void *jinja_alloc(struct jinja *j, size_t count, size_t size);

/* Notes the first fault.  Always undefined. */
struct jinja_value jinja_fault(struct jinja *j, int code, const char *fmt, ...)
        PRINTF_LIKE(3, 4);

/* --- values ------------------------------------------------------------------
 */

struct jinja_value jinja_none(void);
struct jinja_value jinja_bool(bool truth);
struct jinja_value jinja_int(int64_t value);
struct jinja_value jinja_text(struct str text); /* borrowed */
struct jinja_value jinja_copy(struct jinja *j, struct str text);
struct jinja_value jinja_new_list(struct jinja *j);
struct jinja_value jinja_new_dict(struct jinja *j);
struct jinja_value jinja_undefined(void);

void jinja_append(struct jinja *j, struct jinja_list *l, struct jinja_value v);
void jinja_put(struct jinja *j, struct jinja_dict *d, struct str key,
        struct jinja_value v);
/* NULL: it is not there. */
struct jinja_value *jinja_get(const struct jinja_dict *d, struct str key);

bool jinja_truth(struct jinja_value v);
bool jinja_equal(struct jinja *j, struct jinja_value a, struct jinja_value b);
bool jinja_contains(struct jinja *j, struct jinja_value in,
        struct jinja_value what);
const char *jinja_kind_name(struct jinja_value v);

/* As {{ }} prints it; `quoted`: as it stands within a list. */
void jinja_print(struct jinja *j, struct buf *out, struct jinja_value v,
        bool quoted);
/* As JSON; `indent` 0: on one line. */
void jinja_json(struct jinja *j, struct buf *out, struct jinja_value v,
        int64_t indent, int level);

struct jinja_value jinja_from_json(struct jinja *j, struct str json);

/* What a value is made of: items of a list, keys of a dict, characters of a
 * text; undefined is empty. */
struct jinja_list *jinja_items(struct jinja *j, struct jinja_value v);

/* --- the parts
 * ---------------------------------------------------------------- */

struct jinja_node *jinja_parse(struct jinja *j, struct str template);

struct jinja_args {
    struct jinja_value *value;
    struct str *name;
    size_t count;
};

struct jinja_value jinja_filter(struct jinja *j, struct str name,
        struct jinja_value v, const struct jinja_args *args);
bool jinja_test(struct jinja *j, struct str name, struct jinja_value v,
        const struct jinja_args *args);
struct jinja_value jinja_method(struct jinja *j, struct str name,
        struct jinja_value v, const struct jinja_args *args);
/* An argument by its name or place; undefined: it was not given. */
struct jinja_value jinja_arg(const struct jinja_args *args, size_t place,
        const char *name);
/* The text of a value that must be one. */
struct str jinja_str(struct jinja *j, struct jinja_value v);
struct jinja_value jinja_member(struct jinja *j, struct jinja_value v,
        struct str name);
