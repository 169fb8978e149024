#include "collect/record_time.h"

static void in_ns(const struct tick_line *l, uint64_t *time)
{
    *time = tick_line_ns(l, *time);
}

void record_in_ns(const struct tick_line *l, struct record *r)
{
    switch (r->kind) {
    case RECORD_LIBRARY:
    case RECORD_STATIC_LIBRARY: in_ns(l, &r->library_found.time); break;
    case RECORD_SESSION:
    case RECORD_SESSION_END:
        in_ns(l, &r->session.start);
        in_ns(l, &r->session.end);
        break;
    case RECORD_RUN:
        in_ns(l, &r->run.start);
        in_ns(l, &r->run.end);
        break;
    case RECORD_GIL:
        in_ns(l, &r->gil.released);
        in_ns(l, &r->gil.wanted);
        in_ns(l, &r->gil.taken);
        break;
    case RECORD_TRACED:
        r->traced.cost = tick_line_span_ns(l, r->traced.cost);
        r->traced.beside_kernels =
                tick_line_span_ns(l, r->traced.beside_kernels);
        break;
    case RECORD_STATS:
        r->stats.cost = (uint32_t)tick_line_span_ns(l, r->stats.cost);
        break;
    case RECORD_SECTION:
        in_ns(l, &r->section.start);
        in_ns(l, &r->section.end);
        break;
    case RECORD_TOKEN: in_ns(l, &r->token.time); break;
    case RECORD_MARK:
    case RECORD_THREAD: in_ns(l, &r->mark.time); break;
    default: /* has none; of RECORD_LINES the sink makes them */ break;
    }
}
