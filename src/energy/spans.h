/* spans.h -- who was at work when: from spans that lie within each other to
 * pieces of time with the innermost span of each thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What energy is asked for: an operator, an inference, a section.  Spans of
 * the same kind (all runs of one operator) share a class; class 0 is what lies
 * outside of all spans and is never a span's own.  `owner` is a second account
 * beside the class, for single things: the inference that an operator ran
 * in. */
struct work_span {
    uint64_t start_ns, end_ns;
    uint32_t thread; /* only equality matters */
    uint32_t work_class;
    uint32_t owner;
};

struct work_pieces {
    struct work_span *items; /* by their start; of one thread, never two at a
                              * time */
    size_t count;
};

/* The spans are in the order of their start, the longer first.  A span that
 * ends after the one around it is cut there.  Classes for which `here` is false
 * are passed over, so that their time is that of the span around them; NULL:
 * all count.  pieces_release() in any case. */
void pieces_from_spans(struct work_pieces *out, const struct work_span *spans,
        size_t count, const bool *here);
void pieces_release(struct work_pieces *p);
