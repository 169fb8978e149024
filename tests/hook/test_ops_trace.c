/* test_ops_trace.c -- lines of traced inferences, and what may come in their
 * way. */
#include "traced_runs.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/mman.h>

/* --- one inference -------------------------------------------------------- */

static void lines(void)
{
    const struct record *l, *t, *run;

    start("all", "1.30.0");
    CHECK_INT(hooked_last(RECORD_LIBRARY)->flags, TRACING_ON);
    infer(conv_relu);
    CHECK_INT(conv.ran, 1);
    CHECK_INT(hooked_count(RECORD_KERNEL), 2);
    CHECK_INT(hooked_count(RECORD_TENSOR), 6);
    CHECK_INT(hooked_count(RECORD_LINES), 1);
    l = nth(RECORD_LINES, 0);
    t = nth(RECORD_TRACED, 0);
    run = nth(RECORD_RUN, 0);
    CHECK_INT(l->flags, 3);
    CHECK_INT(l->lines.line[0].kernel, LINE_CLOCK);
    CHECK_INT(l->lines.line[1].kernel, (uintptr_t)&conv);
    CHECK_INT(l->lines.line[2].kernel, (uintptr_t)&relu);
    CHECK(l->lines.line[2].after >= l->lines.line[2].took);
    CHECK_INT(t->traced.trace, l->lines.trace);
    CHECK_INT(t->traced.thread, run->run.thread);
    CHECK_INT(t->traced.kernels, 2);
    CHECK_INT(t->traced.doubtful, 0);
    CHECK(t->traced.shapes && t->traced.cost);
    CHECK(run->flags & FLAG_TRACED);
    CHECK_INT(run - t, 1); /* the run right behind its trace */

    uint64_t begin = l->lines.line[0].after | (uint64_t)l->lines.line[0].took
                                                      << 32;

    CHECK(begin >= run->run.start);
    CHECK(begin + l->lines.line[1].after + l->lines.line[2].after <=
            run->run.end);

    /* Described once. */
    infer(conv_relu);
    CHECK_INT(hooked_count(RECORD_KERNEL), 2);
    CHECK_INT(hooked_count(RECORD_TENSOR), 6);
    CHECK_INT(hooked_count(RECORD_TRACED), 2);
    CHECK(nth(RECORD_TRACED, 1)->traced.trace != t->traced.trace);
}

static void body(struct fake_kernel *k, void *context)
{
    struct fake_frame frame = { 0 };

    (void)k, (void)context;
    fake_kernel_run(&conv, &frame);
}

static void branch_only(void)
{
    struct fake_frame frame = { 0 };

    branch.during = body;
    fake_kernel_run(&branch, &frame);
    fake_kernel_run(&relu, &frame);
}

/* What runs in another comes before it and names it. */
static void nested(void)
{
    const struct record *l;

    start("all", "1.30.0");
    infer(branch_only);
    l = nth(RECORD_LINES, 0);
    CHECK_INT(l->lines.line[1].kernel, (uintptr_t)&conv);
    CHECK_INT(l->lines.line[2].kernel, (uintptr_t)&branch);
    CHECK(l->lines.line[2].took >= l->lines.line[1].took);
    CHECK_INT(nth(RECORD_KERNEL, 0)->kernel.kernel, (uintptr_t)&conv);
    CHECK_INT(nth(RECORD_KERNEL, 0)->kernel.parent, (uintptr_t)&branch);
    CHECK_INT(nth(RECORD_KERNEL, 1)->kernel.parent, 0);
    CHECK_INT(nth(RECORD_TRACED, 0)->traced.kernels, 3);
}

/* --- hazards -------------------------------------------------------------- */

static void helps(struct fake_kernel *k, void *context)
{
    (void)k, (void)context;
    fake_kernel_run_as(&relu, NULL, NULL);
}

static void conv_with_helper(void)
{
    struct fake_frame frame = { 0 };

    conv.during = helps;
    fake_kernel_run(&conv, &frame);
}

/* A kernel that another calls, with a context of nobody's, is a part of it. */
static void helper(void)
{
    start("all", "1.30.0");
    infer(conv_with_helper);
    CHECK_INT(relu.ran, 1);
    CHECK_INT(nth(RECORD_TRACED, 0)->traced.kernels, 1);
    CHECK_INT(hooked_count(RECORD_KERNEL), 1);
    CHECK_INT(hooked_last(RECORD_LIBRARY)->flags, TRACING_ON);
}

/* The address comes back with another name. */
static void address_again(void)
{
    start("all", "1.30.0");
    infer(conv_relu);
    fake_kernel_destroy(&conv);
    CHECK_INT(conv.destroyed, 1);
    CHECK_INT(hooked_count(RECORD_KERNEL_END), 1);
    CHECK_INT(nth(RECORD_KERNEL_END, 0)->kernel.kernel, (uintptr_t)&conv);
    fake_kernel_destroy(&branch); /* was never described */
    CHECK_INT(hooked_count(RECORD_KERNEL_END), 1);
    conv = kernel_of_type("conv2", "FusedConv", 5, T_CHILD);
    fake_kernel_make(&conv, FAKE_LONG);
    infer(conv_relu);
    CHECK_INT(hooked_count(RECORD_KERNEL), 3);
    CHECK(hooked_text(nth(RECORD_KERNEL, 2)->kernel.name, "conv2"));
}

static void *out_of_here[5];

static void throws(struct fake_kernel *k, void *context)
{
    (void)k, (void)context;
    __builtin_longjmp(out_of_here, 1);
}

static void body_that_throws(struct fake_kernel *k, void *context)
{
    struct fake_frame frame = { 0 };

    (void)k, (void)context;
    conv.during = throws;
    fake_kernel_run(&conv, &frame);
}

/* As ONNX Runtime does it: caught where the graph is executed. */
static void throwing(void)
{
    struct fake_frame frame = { 0 };

    branch.during = body_that_throws;
    if (!__builtin_setjmp(out_of_here))
        fake_kernel_run(&branch, &frame);
    fake_kernel_run(&relu, &frame);
}

/* Kernels that are left by an exception have no line, and harm no others. */
static void exceptions(void)
{
    start("all", "1.30.0");
    for (int i = 0; i < 50; i++)
        infer(throwing);
    for (size_t i = 0; i < 50; i++)
        CHECK_INT(nth(RECORD_TRACED, i)->traced.kernels, 1);
    conv.during = NULL;
    infer(conv_relu);
    CHECK_INT(nth(RECORD_TRACED, 50)->traced.kernels, 2);
    CHECK_INT(nth(RECORD_KERNEL, 1)->kernel.parent, 0);
}

static void deep_body(struct fake_kernel *k, void *context)
{
    struct fake_frame frame = { 0 };
    static int depth;

    (void)context;
    if (++depth < THREAD_DEPTH + 3)
        fake_kernel_run(k, &frame);
}

static void deep(void)
{
    struct fake_frame frame = { 0 };

    branch.during = deep_body;
    fake_kernel_run(&branch, &frame);
}

/* Too deep to be kept: the inference is a lost one, by its count. */
static void too_deep(void)
{
    start("all", "1.30.0");
    infer(deep);
    CHECK(nth(RECORD_TRACED, 0)->traced.kernels >
            count_lines(nth(RECORD_TRACED, 0)->traced.trace));
}

/* A clock that jumps: times of more than 32 bits. */
static void long_ago(struct fake_kernel *k, void *context)
{
    (void)k, (void)context;
    thread_mine()->running[0].start -= UINT64_C(3) << 32;
}

static void slow_conv(void)
{
    struct fake_frame frame = { 0 };

    conv.during = long_ago;
    fake_kernel_run(&conv, &frame);
}

static void long_times(void)
{
    const struct record *l;

    start("all", "1.30.0");
    infer(slow_conv);
    l = nth(RECORD_LINES, 0);
    CHECK_INT(l->lines.line[1].kernel, LINE_HIGH);
    CHECK_INT(l->lines.line[1].took, 3);
    CHECK_INT(l->lines.line[2].kernel, (uintptr_t)&conv);
}

static void many(void)
{
    for (int i = 0; i < 200; i++)
        conv_relu();
}

/* What does not fit into the ring is missing, and that shows. */
static void full_ring(void)
{
    CHECK(setenv("ORTMETER_RING", "64", 1) == 0);
    start("all", "1.30.0");
    infer(conv_relu);
    (void)hooked_read();
    infer(many);
    CHECK_INT(hooked_last(RECORD_TRACED)->traced.kernels, 400);
    CHECK(count_lines(hooked_last(RECORD_TRACED)->traced.trace) < 400);
    infer(conv_relu);
    CHECK_INT(count_lines(hooked_last(RECORD_TRACED)->traced.trace), 2);
}

static uint64_t dropped(void)
{
    return ring_dropped(channel_ring());
}

/* Where nobody asked for all of them, what has no room is not traced, and none
 * of it is lost: neither lines */
static void full_ring_auto(void)
{
    CHECK(setenv("ORTMETER_RING", "64", 1) == 0);
    start("auto", "1.30.0");
    infer(conv_relu);
    CHECK_INT(hooked_count(RECORD_TRACED), 1);
    CHECK(hooked_last(RECORD_RUN)->flags & FLAG_TRACED);
    infer(many);

    uint32_t trace = hooked_last(RECORD_LINES)->lines.trace;

    CHECK_INT(dropped(), 0);
    CHECK_INT(hooked_last(RECORD_TRACED)->flags, TRACED_GIVEN_UP);
    CHECK_INT(hooked_last(RECORD_TRACED)->traced.trace, trace);
    CHECK(!(hooked_last(RECORD_RUN)->flags & FLAG_TRACED));
    CHECK_INT(atomic_load(&hook_traces), 0);
}

static void half_full_meanwhile(void)
{
    for (int i = 0; i < 32; i++)
        channel_send(&(struct record){ .kind = RECORD_MARK });
    conv_relu();
}

/* nor descriptions, which go on next time. */
static void full_ring_described(void)
{
    CHECK(setenv("ORTMETER_RING", "64", 1) == 0);
    start("auto", "1.30.0");
    (void)hooked_read();
    infer(half_full_meanwhile);
    CHECK_INT(dropped(), 0);
    CHECK_INT(hooked_count(RECORD_KERNEL), 0);
    CHECK_INT(hooked_last(RECORD_TRACED)->flags, TRACED_GIVEN_UP);
    infer(conv_relu);
    CHECK_INT(hooked_count(RECORD_KERNEL), 2);
    CHECK(hooked_last(RECORD_RUN)->flags & FLAG_TRACED);
    CHECK_INT(count_lines(hooked_last(RECORD_TRACED)->traced.trace), 2);
    CHECK_INT(dropped(), 0);
}

static void graph_that_forks(void)
{
    struct fake_frame frame = { 0 };
    pid_t pid;

    fake_kernel_run(&conv, &frame);
    pid = fork();
    if (pid == 0) {
        fake_kernel_run(&relu, &frame);
        return;
    }
    int status = -1;

    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK_INT(status, 0);
    fake_kernel_run(&relu, &frame);
}

/* The child has a ring of its own; what began in the parent is the parent's,
 * and what comes is traced and described anew. */
static void fork_within(void)
{
    pid_t parent = getpid();

    start("all", "1.30.0");
    infer(graph_that_forks);
    if (getpid() != parent) {
        infer(conv_relu);
        exit(0);
    }
    CHECK_INT(hooked_count(RECORD_RUN), 3);
    CHECK_INT(hooked_count(RECORD_TRACED), 2);
    CHECK_INT(hooked_count(RECORD_KERNEL), 4);
    CHECK_INT(hooked.owners, 2);
}

static void inner_run(struct fake_kernel *k, void *context)
{
    (void)context;
    k->during = NULL;
    infer(conv_relu);
}

static void graph_that_infers(void)
{
    struct fake_frame frame = { 0 };

    branch.during = inner_run;
    fake_kernel_run(&branch, &frame);
    fake_kernel_run(&relu, &frame);
}

/* A kernel that calls Run: each has its own. */
static void run_within(void)
{
    start("all", "1.30.0");
    infer(graph_that_infers);
    CHECK_INT(hooked_count(RECORD_TRACED), 2);
    CHECK_INT(nth(RECORD_TRACED, 0)->traced.kernels, 2);
    CHECK_INT(nth(RECORD_TRACED, 1)->traced.kernels, 2);
    CHECK_INT(count_lines(nth(RECORD_TRACED, 0)->traced.trace), 2);
    CHECK_INT(count_lines(nth(RECORD_TRACED, 1)->traced.trace), 2);
}

static void relu_only(void)
{
    struct fake_frame frame = { 0 };

    fake_kernel_run(&relu, &frame);
}

/* A provider brings a library with kernels, which comes when it is asked for:
 * they are named as the runtime's own are. */
static void provider_library(void)
{
    struct ort_options *options = (struct ort_options *)0x7000;
    uintptr_t *own = (start("all", "1.30.0"), words);
    struct image i;

    fake_kernels_of(1);
    words = fake_kernels_words();
    CHECK(words != own);
    make_kernels(FAKE_LONG);
    infer(relu_only); /* not met yet */
    CHECK_INT(nth(RECORD_TRACED, 0)->traced.kernels, 0);
    i = fake_kernels_library();
    fake.loaded = &i;
    CHECK(!CALL(SessionOptionsAppendExecutionProvider)(options, "CUDA", NULL,
            NULL, 0));
    CHECK(!fake.loaded);
    infer(conv_relu);
    CHECK_INT(nth(RECORD_TRACED, 1)->traced.kernels, 2);
    CHECK(hooked_text(nth(RECORD_KERNEL, 0)->kernel.name, "conv1"));
    CHECK_INT(record_library(nth(RECORD_KERNEL, 0)), 0);
    CHECK_INT(conv.ran, 1);
    words = own;
    make_kernels(FAKE_LONG);
    infer(conv_relu);
    CHECK_INT(nth(RECORD_TRACED, 2)->traced.kernels, 2);
    CHECK_INT(conv.ran, 1);
}

/* --- off, and on later ---------------------------------------------------- */

static void is_untouched(const uintptr_t *before)
{
    for (size_t i = 0; i < FAKE_WORDS; i++)
        CHECK(words[i] == before[i]);
}

/* The ring's header, as the collector writes it. */
static struct channel_header *header(void)
{
    glob_t found = { 0 };
    char pattern[512];
    struct channel_header *h;
    int fd;

    (void)snprintf(pattern, sizeof(pattern), "%s/*.ring",
            rings_folder(hooked.rings));
    CHECK_INT(glob(pattern, 0, NULL, &found), 0);
    fd = open(found.gl_pathv[0], O_RDWR);
    globfree(&found);
    h = mmap(NULL, sizeof(*h), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)close(fd);
    if (h == MAP_FAILED)
        abort();
    return h;
}

static void off_and_on(void)
{
    uintptr_t before[FAKE_WORDS];

    memcpy(before, fake_kernels_words(), sizeof(before));
    start("off", "1.30.0");
    infer(conv_relu);
    CHECK_INT(hooked_last(RECORD_LIBRARY)->flags, TRACING_OFF);
    CHECK(!hook_functions);
    is_untouched(before);
    CHECK_INT(hooked_count(RECORD_LINES), 0);

    struct channel_header *h = header();

    atomic_store(&h->ops, OPS_ALL);
    infer(conv_relu);
    CHECK_INT(hooked_last(RECORD_LIBRARY)->flags, TRACING_ON);
    CHECK_INT(hooked_count(RECORD_LIBRARY), 2);
    CHECK_INT(hooked_count(RECORD_TRACED), 1);
    CHECK(hooked_last(RECORD_TRACED)->traced.beside_kernels > 0);
    atomic_store(&h->ops, OPS_OFF);
    infer(conv_relu);
    CHECK_INT(hooked_count(RECORD_TRACED), 1);
    CHECK_INT(hooked_count(RECORD_RUN), 3);
}

/* --- runtimes that are not traced ----------------------------------------- */

static void too_old(void)
{
    start("all", "1.14.1");
    infer(conv_relu);
    CHECK_INT(hooked_last(RECORD_LIBRARY)->flags, TRACING_TOO_OLD);
    CHECK(!hook_functions);
    CHECK_INT(hooked_count(RECORD_TRACED), 0);
    CHECK_INT(hooked_count(RECORD_RUN), 1);
}

static void no_types(void)
{
    CHECK(setenv("ORTMETER_OPS", "all", 1) == 0);
    hooked_begin("1.30.0");
    CHECK_INT(hooked_last(RECORD_LIBRARY)->flags, TRACING_NO_TYPES);
}

/* Its context names another kernel. */
static void stranger(void)
{
    struct fake_frame frame = { 0 };

    fake_kernel_run_as(&conv, &frame, &relu);
    fake_kernel_run(&conv, &frame);
}

static void unknown_context(void)
{
    start("all", "1.30.0");
    infer(stranger);
    CHECK_INT(hooked_last(RECORD_LIBRARY)->flags, TRACING_UNKNOWN);
    infer(conv_relu);
    CHECK_INT(hooked_count(RECORD_TRACED), 1);
}

/* Its description is not what we take it for: nothing is asked about it. */
static void unknown_kernel(void)
{
    static const uintptr_t nothing[2];

    start("all", "1.30.0");
    conv.info = nothing;
    infer(conv_relu);
    CHECK_INT(hooked_last(RECORD_LIBRARY)->flags, TRACING_UNKNOWN);
    CHECK_INT(hooked_count(RECORD_KERNEL), 0);
}

static void kernel_nowhere(void)
{
    start("all", "1.30.0");
    conv.info = (const uintptr_t *)8;
    infer(conv_relu);
    CHECK_INT(hooked_last(RECORD_LIBRARY)->flags, TRACING_UNKNOWN);
    CHECK_INT(atomic_load(&fake_kernel_asked), 0);
}

int main(void)
{
    HOOKED(lines);
    HOOKED(nested);
    HOOKED(helper);
    HOOKED(address_again);
    HOOKED(exceptions);
    HOOKED(too_deep);
    HOOKED(long_times);
    HOOKED(full_ring);
    HOOKED(full_ring_auto);
    HOOKED(full_ring_described);
    HOOKED(fork_within);
    HOOKED(run_within);
    HOOKED(provider_library);
    HOOKED(off_and_on);
    HOOKED(too_old);
    HOOKED(no_types);
    HOOKED(unknown_context);
    HOOKED(unknown_kernel);
    HOOKED(kernel_nowhere);
    return test_result();
}
