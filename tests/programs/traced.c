/* traced.c -- runs a program with the hook in it, and prints what its traced
 * inferences tell, an operator run a line, in the order of their ends:
 *
 *     traced HOOK OPS PROGRAM ARG...
 *     NAME <tab> TYPE <tab> PROVIDER <tab> NODE <tab> INPUTS <tab> OUTPUTS
 *
 * with shapes as ONNX Runtime's profile writes them; then a line for the whole:
 *
 *     traced INFERENCES of ALL, OPERATORS operator runs, DOUBTFUL doubtful,
 *     ENDED ended, RENAMED renamed, STATS looked at, LOST lost
 *
 * where RENAMED kernels came to live at the address of one that had ended, and
 * had another name.
 *
 * It is a collector in small, and strict: lines that lie outside their
 * inference or of each other, that are not as many as there were kernels, or of
 * a kernel that nobody described or whose end was seen, end it with 1. */
#include "base/alloc.h"
#include "base/buf.h"
#include "collect/rings.h"
#include "collect/texts.h"
#include "ort_host.h"
#include "wire/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KERNELS = 1 << 17, TENSORS = 64, TRACES = 4096, LINES = 1 << 17 };

struct kernel {
    struct record is;
    bool ended;
    struct record *in[TENSORS], *out[TENSORS];
};

struct line {
    uint32_t trace, thread;
    uint64_t kernel, start, end;
};

/* The end of the last line of a thread in a trace. */
struct clock {
    uint32_t trace, thread;
    uint64_t time, high_after, high_took;
};

static struct texts texts;
static struct kernel *kernels[KERNELS];
static size_t n_kernels;
static struct line *lines; /* of traces that are not over */
static size_t n_lines;
static struct clock clocks[TRACES];
static size_t n_clocks;
static struct record traced[TRACES]; /* by thread */
static size_t n_traced;
static uint64_t inferences, all, operators, doubtful, ended, renamed, stats;
static bool quiet;

static const char *text(uint64_t name)
{
    const char *t = name ? texts_find(&texts, name) : "";

    if (!t)
        die("a text that was not sent");
    return t;
}

/* Whoever lives or lived there last. */
static struct kernel *at(uint64_t address)
{
    for (size_t i = n_kernels; i-- > 0;)
        if (kernels[i]->is.kernel.kernel == address)
            return kernels[i];
    return NULL;
}

static struct kernel *find(uint64_t address)
{
    struct kernel *k = at(address);

    return k && !k->ended ? k : NULL;
}

static void take_kernel(const struct record *r)
{
    struct kernel *k = at(r->kernel.kernel);

    if (!k && n_kernels < KERNELS)
        k = kernels[n_kernels++] = alloc_zero(1, sizeof(*k));
    if (!k)
        die("too many kernels");
    renamed += k->ended && k->is.kernel.name != r->kernel.name;
    for (size_t i = 0; i < TENSORS; i++) {
        free(k->in[i]);
        free(k->out[i]);
    }
    *k = (struct kernel){ .is = *r };
}

static void take_end(const struct record *r)
{
    struct kernel *k = find(r->kernel.kernel);

    if (!k)
        die("the end of no kernel");
    k->ended = true;
    ended++;
}

static void take_tensor(const struct record *r)
{
    struct kernel *k = find(r->tensor.kernel);
    size_t i = r->tensor.index;
    struct record **place;

    if (!k)
        die("a tensor of no kernel");
    if (i >= TENSORS)
        return;
    place = r->flags & TENSOR_OUTPUT ? &k->out[i] : &k->in[i];
    if (!*place)
        *place = alloc_zero(1, sizeof(**place));
    **place = *r;
}

/* --- lines ---------------------------------------------------------------- */

static struct clock *clock_of(uint32_t trace, uint32_t thread)
{
    for (size_t i = n_clocks; i-- > 0;)
        if (clocks[i].trace == trace && clocks[i].thread == thread)
            return &clocks[i];
    if (n_clocks == TRACES)
        n_clocks = 0;
    clocks[n_clocks] = (struct clock){ .trace = trace, .thread = thread };
    return &clocks[n_clocks++];
}

static void take_line(struct clock *c, const struct record_line *l)
{
    uint64_t took = l->took | c->high_took << 32;

    switch (l->kernel & LINE_KIND_BITS) {
    case LINE_CLOCK: c->time = l->after | (uint64_t)l->took << 32; return;
    case LINE_HIGH:
        c->high_after = l->after;
        c->high_took = l->took;
        return;
    default: break;
    }
    if (!c->time)
        die("a line before the clock's");
    c->time += l->after | c->high_after << 32;
    c->high_after = c->high_took = 0;
    if (n_lines == LINES)
        die("too many lines");
    lines[n_lines++] = (struct line){ c->trace, c->thread, l->kernel,
        c->time - took, c->time };
}

static void take_lines(const struct record *r)
{
    if (r->flags > RECORD_LINES_EACH)
        die("more lines than fit");
    for (uint16_t i = 0; i < r->flags; i++)
        take_line(clock_of(r->lines.trace, r->lines.thread), &r->lines.line[i]);
}

/* --- printing ------------------------------------------------------------- */

static const char *type_name(uint8_t type)
{
    static const char *const names[] = { "?", "float", "uint8", "int8",
        "uint16", "int16", "int32", "int64", "string", "bool", "float16",
        "double", "uint32", "uint64", "complex64", "complex128", "bfloat16" };

    return type < sizeof(names) / sizeof(*names) ? names[type] : "?";
}

static void print_shapes(struct record *const *tensors)
{
    const char *comma = "";

    putchar('[');
    for (size_t i = 0; i < TENSORS; i++) {
        const struct record *t = tensors[i];

        if (!t || t->flags & (TENSOR_ABSENT | TENSOR_NO_VALUE | TENSOR_OTHER))
            continue;
        printf("%s{\"%s\":[", comma, type_name(t->tensor.type));
        comma = ",";
        for (uint8_t d = 0; d < t->tensor.rank && d < TENSOR_DIMS; d++)
            printf("%s%u", d ? "," : "", t->tensor.dims[d]);
        printf("]}");
    }
    putchar(']');
}

static void print_line(const struct line *l)
{
    const struct kernel *k = find(l->kernel);

    if (!k)
        die("a line of no kernel");
    operators++;
    if (quiet)
        return;
    if (k->is.kernel.name)
        printf("%s", text(k->is.kernel.name));
    else
        printf("%s_%u", text(k->is.kernel.op_type), k->is.kernel.node_index);
    printf("\t%s\t%s\t%u\t", text(k->is.kernel.op_type),
            text(k->is.kernel.provider), k->is.kernel.node_index);
    print_shapes(k->in);
    putchar('\t');
    print_shapes(k->out);
    putchar('\n');
}

/* Of a thread: one after the other, or one within the other. */
static void check_nesting(const struct line *before, const struct line *l)
{
    if (before->thread == l->thread && before->end > l->start &&
            (before->start < l->start || before->end > l->end))
        die("lines that overlap");
}

/* The thread's last one. */
static struct record *traced_of(uint32_t thread)
{
    size_t i = 0;

    while (i < n_traced && traced[i].traced.thread != thread)
        i++;
    if (i == TRACES)
        die("too many threads");
    n_traced += i == n_traced;
    return &traced[i];
}

static void take_run(const struct record *run)
{
    struct record *t = traced_of(run->run.thread);
    uint32_t count = 0;
    size_t left = 0;

    all++;
    if (!(run->flags & FLAG_TRACED))
        return;
    if (!t->kind)
        die("an inference without its trace");
    for (size_t i = 0; i < n_lines; i++) {
        const struct line l = lines[i];

        if (l.trace != t->traced.trace) {
            lines[left++] = l;
            continue;
        }
        if (l.start < run->run.start || l.end > run->run.end)
            die("a line outside its inference");
        for (size_t k = i > 8 ? i - 8 : 0; k < i; k++)
            if (lines[k].trace == l.trace)
                check_nesting(&lines[k], &l);
        print_line(&l);
        count++;
    }
    n_lines = left;
    if (count != t->traced.kernels)
        die("%u lines, but %u kernels", count, t->traced.kernels);
    inferences++;
    doubtful += t->traced.doubtful;
    t->kind = 0;
}

static void take(void *context, uint32_t owner, const struct record *r,
        const struct tick_line *ticks)
{
    (void)context;
    (void)owner;
    (void)ticks; /* nobody asked for ticks */
    switch (r->kind) {
    case RECORD_TEXT: (void)texts_take(&texts, r); break;
    case RECORD_KERNEL: take_kernel(r); break;
    case RECORD_TENSOR: take_tensor(r); break;
    case RECORD_LINES: take_lines(r); break;
    case RECORD_TRACED: *traced_of(r->traced.thread) = *r; break;
    case RECORD_RUN: take_run(r); break;
    case RECORD_STATS: stats++; break;
    case RECORD_KERNEL_END: take_end(r); break;
    default: break;
    }
}

static uint64_t lost;

static void gone(void *context, const struct ring_owner *o)
{
    (void)context;
    lost += o->lost;
}

static void came(void *context, const struct ring_owner *o)
{
    (void)context;
    (void)o;
}

int main(int argc, char **argv)
{
    struct rings *rings;
    struct rings_sink sink = { NULL, came, take, gone };
    int status = 0;

    if (argc > 1 && strcmp(argv[1], "-q") == 0) {
        quiet = true;
        argv++, argc--;
    }
    if (argc < 4)
        die("use: traced [-q] HOOK OPS PROGRAM ARG...");
    if (rings_open(&rings, NULL, &sink, NULL))
        die("no folder for rings");
    lines = alloc_zero(LINES, sizeof(*lines));

    pid_t pid = fork();

    if (pid == 0) {
        (void)dup2(STDERR_FILENO, STDOUT_FILENO);
        (void)setenv("ORTMETER_DIR", rings_folder(rings), 1);
        (void)setenv("ORTMETER_OPS", argv[2], 1);
        (void)setenv("LD_PRELOAD", argv[1], 1);
        (void)execvp(argv[3], argv + 3);
        _exit(127);
    }
    while (waitpid(pid, &status, WNOHANG) == 0) {
        (void)rings_poll(rings);
        (void)usleep(1000);
    }
    rings_look(rings);
    (void)rings_poll(rings);
    rings_close(rings);
    printf("traced %" PRIu64 " of %" PRIu64 ", %" PRIu64
           " operator runs, %" PRIu64 " doubtful, %" PRIu64 " ended, %" PRIu64
           " renamed, %" PRIu64 " looked at, %" PRIu64 " lost\n",
            inferences, all, operators, doubtful, ended, renamed, stats, lost);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
