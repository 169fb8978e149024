#include "cmd/cli/progress.h"

#include "base/buf.h"
#include "cmd/text/term.h"

#include <stdio.h>

#define WIDTH     30
#define PERIOD_NS 100000000

void progress_open(struct progress *p, bool quiet)
{
    *p = (struct progress){
        .shown = !quiet && term_is_terminal(stderr),
        .what = "",
    };
}

void progress_begin(struct progress *p, const char *what)
{
    p->what = what;
    p->next_ns = 0;
}

void progress_show(struct progress *p, uint64_t now_ns, double share)
{
    if (!p->shown || now_ns < p->next_ns)
        return;

    struct buf line = { 0 };
    double in_bounds = share < 0 ? 0 : share > 1 ? 1 : share;
    int full = (int)(in_bounds * WIDTH);

    buf_text(&line, "\r\033[K");
    for (int i = 0; i < WIDTH; i++)
        buf_text(&line, i < full ? "█" : "░");
    buf_printf(&line, " %3.0f %%  %s", in_bounds * 100, p->what);
    (void)fwrite(line.p, 1, line.len, stderr);
    (void)fflush(stderr);
    buf_release(&line);
    p->drawn = true;
    p->next_ns = now_ns + PERIOD_NS;
}

void progress_bytes(struct progress *p, uint64_t now_ns, uint64_t bytes)
{
    if (!p->shown || now_ns < p->next_ns)
        return;
    (void)fprintf(stderr, "\r\033[K%.1f MB  %s", (double)bytes / 1e6, p->what);
    (void)fflush(stderr);
    p->drawn = true;
    p->next_ns = now_ns + PERIOD_NS;
}

void progress_close(struct progress *p)
{
    if (p->drawn)
        (void)fputs("\r\033[K", stderr);
    p->drawn = false;
}
