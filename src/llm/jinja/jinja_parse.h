/* jinja_parse.h -- what jinja_parse.c and jinja_expression.c share. */
#pragma once

#include "llm/jinja/jinja_state.h"

enum token_kind {
    TOKEN_END, /* of the tag, which is not passed yet */
    TOKEN_NAME,
    TOKEN_TEXT,
    TOKEN_NUMBER,
    TOKEN_SIGN,
};

struct parser {
    struct jinja *j;
    struct str text; /* the template */
    size_t at;       /* behind the token */
    struct {
        enum token_kind kind;
        struct str text; /* of a text: what it means */
    } token;
    int nested;       /* open brackets: a tag cannot end within */
    int depth;        /* blocks and expressions within each other */
    bool line_starts; /* the text that follows begins a line */
};

struct jinja_node *parse_new(struct parser *p, enum jinja_node_kind kind);
void parse_fault(struct parser *p, const char *wanted);
void parse_close(struct parser *p, char first);

/* Takes the next token. */
void parse_next(struct parser *p);
/* Whether the token is this sign; then it is passed. */
bool parse_take(struct parser *p, const char *sign);
/* Adds to a node's list. */
void parse_add(struct parser *p, struct jinja_node *n, struct jinja_node *item,
        struct str name);

struct jinja_node *parse_expression(struct parser *p);
struct jinja_node *parse_or(struct parser *p); /* no "if" behind it */
struct jinja_node *parse_postfix(struct parser *p);
