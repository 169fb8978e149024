/* nesting.h -- what lies within what, on one thread: so that the time of an If,
 * a Loop or a Scan, which includes its children's, is not counted twice.
 *
 * ONNX Runtime cuts start and duration down to whole microseconds.  So what
 * follows never seems to overlap what was before it, while a child may seem to
 * end up to a microsecond after its parent: `slack_ns`, 1000 for its profiles.
 *
 *     what is said    parent 10..19     self 9 - 5 - 1
 *                       child 12..17    self 5
 *                       child 18..20    self 2, of which 1 is in the parent
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define NESTING_NONE UINT32_MAX

struct nesting_span {
    uint64_t start_ns;
    uint64_t duration_ns;
    uint32_t item; /* the caller's own number */

    /* Found out. */
    uint32_t depth;   /* 0: in nothing */
    uint32_t parent;  /* its place among the spans, or NESTING_NONE */
    uint64_t self_ns; /* without what its children take of it */
};

/* Puts the spans in order, by their start, the longer first, and fills in the
 * rest.  Spans that overlap and are not within each other lie side by side. */
void nesting_find(struct nesting_span *spans, size_t count, uint64_t slack_ns);
