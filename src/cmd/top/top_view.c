/* top_view.c -- keys, and the order of processes. */
#include "cmd/top/top_draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ESCAPE 27
#define DELETE 127

/* --- keys ----------------------------------------------------------------- */

static void type(struct top_view *v, int key)
{
    size_t len = strlen(v->filter);

    if (key == '\n' || key == '\r') {
        v->typing = false;
    } else if (key == ESCAPE) {
        v->typing = false;
        v->filter[0] = 0;
    } else if (key == TOP_KEY_BACKSPACE || key == DELETE || key == '\b') {
        if (len)
            v->filter[len - 1] = 0;
    } else if (key >= ' ' && key < DELETE && len + 1 < sizeof(v->filter)) {
        v->filter[len] = (char)key;
        v->filter[len + 1] = 0;
    }
    v->first = 0;
}

static void scroll(struct top_view *v, int by)
{
    if (by < 0 && v->first < (size_t)-by)
        v->first = 0;
    else
        v->first += (size_t)by;
}

/* The same key twice turns the order round. */
static void sort(struct top_view *v, enum top_order order)
{
    v->reversed = v->order == order && !v->reversed;
    v->order = order;
    v->first = 0;
}

void top_key(struct top_view *v, int key)
{
    if (v->typing) {
        type(v, key);
        return;
    }
    switch (key) {
    case 'q': v->quit = true; break;
    case ' ': v->paused = !v->paused; break;
    case '?':
    case 'h': v->help = !v->help; break;
    case ESCAPE:
        v->help = false;
        v->filter[0] = 0;
        break;
    case '/': v->typing = true; break;
    case 'c': sort(v, TOP_BY_CPU); break;
    case 'm': sort(v, TOP_BY_MEMORY); break;
    case 't': sort(v, TOP_BY_THREADS); break;
    case 'p': sort(v, TOP_BY_PID); break;
    case 'n': sort(v, TOP_BY_NAME); break;
    case 'r': v->reversed = !v->reversed; break;
    case TOP_KEY_UP: scroll(v, -1); break;
    case TOP_KEY_DOWN: scroll(v, 1); break;
    case TOP_KEY_PAGE_UP: scroll(v, -10); break;
    case TOP_KEY_PAGE_DOWN: scroll(v, 10); break;
    default: break;
    }
}

/* --- order ---------------------------------------------------------------- */

static int by_pid(const void *a, const void *b)
{
    uint64_t x = ((const struct top_process *)a)->pid;
    uint64_t y = ((const struct top_process *)b)->pid;

    return (x > y) - (x < y);
}

/* The greater first; what is not known last; else by pid, so that nothing
 * dances. */
static int greater_first(struct top_value x, struct top_value y, const void *a,
        const void *b)
{
    if (x.known != y.known)
        return y.known - x.known;
    if (x.known && x.value != y.value)
        return x.value > y.value ? -1 : 1;
    return by_pid(a, b);
}

#define GREATER_FIRST(field)                                         \
    static int by_##field(const void *a, const void *b)              \
    {                                                                \
        return greater_first(((const struct top_process *)a)->field, \
                ((const struct top_process *)b)->field, a, b);       \
    }
GREATER_FIRST(cpu_cores)
GREATER_FIRST(rss_bytes)
GREATER_FIRST(threads)

static int by_name(const void *a, const void *b)
{
    int order = strcmp(((const struct top_process *)a)->name,
            ((const struct top_process *)b)->name);

    return order ? order : by_pid(a, b);
}

static bool passes(const struct top_process *p, const char *filter)
{
    char pid[24];

    (void)snprintf(pid, sizeof(pid), "%llu", (unsigned long long)p->pid);
    return !*filter || strstr(p->name, filter) || strstr(pid, filter);
}

static void reverse(struct top_process *p, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct top_process x = p[i];

        p[i] = p[count - 1 - i];
        p[count - 1 - i] = x;
    }
}

size_t top_arrange(struct top_model *m, const struct top_view *v)
{
    static int (*const orders[])(const void *, const void *) = {
        [TOP_BY_CPU] = by_cpu_cores,
        [TOP_BY_MEMORY] = by_rss_bytes,
        [TOP_BY_THREADS] = by_threads,
        [TOP_BY_PID] = by_pid,
        [TOP_BY_NAME] = by_name,
    };
    size_t count = 0;

    for (size_t i = 0; i < m->processes; i++) {
        struct top_process x = m->process[i];

        if (!passes(&x, v->filter))
            continue;
        m->process[i] = m->process[count];
        m->process[count++] = x;
    }
    qsort(m->process, count, sizeof(*m->process), orders[v->order]);
    if (v->reversed)
        reverse(m->process, count);
    return count;
}
