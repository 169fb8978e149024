/* pattern.h -- finds what a tokenizer's file says to look for: a text, or a
 * regular expression, by a scanner of ours where there is one and else by
 * PCRE2, where we were built with it. */
#pragma once

#include "base/error.h"
#include "llm/tokenizer/scan.h"

struct regex; /* one that PCRE2 has compiled */

struct pattern {
    char *text; /* to look for, as it is; NULL: see below */
    size_t text_len;
    scan_fn *scan;
    struct regex *regex;
};

/* Starts a pattern for a text, or for a regular expression in the language of
 * Oniguruma.  -ENOTSUP: it is not understood; the error has it. */
void pattern_text(struct pattern *out, struct str text);
int pattern_expression(struct pattern *out, struct str expression,
        struct error *e);

/* A scanner alone; nothing is to be released. */
struct pattern pattern_scan(scan_fn *scan);

void pattern_release(struct pattern *p);

/* The first match at or after `at`, which is never empty.  False: none. */
bool pattern_find(const struct pattern *p, struct str text, size_t at,
        size_t *from, size_t *end);

/* For pattern.c: what PCRE2 does, or its absence. */
int regex_new(struct regex **out, struct str expression, struct error *e);
void regex_free(struct regex *r); /* NULL is welcome */
bool regex_find(const struct regex *r, struct str text, size_t at, size_t *from,
        size_t *end);
